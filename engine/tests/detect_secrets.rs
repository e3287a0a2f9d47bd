//! Secrets by the way they are written, each beside what looks like it and is none.

#[path = "support/marked.rs"]
mod marked;

use marked::check;

/// A value of letters and digits reads like an identifier; where it stands tells that it is none.
#[test]
fn bare_passwords_that_read_like_identifiers() {
    check(&[
        "password = ⟦SunsetTiger42⟧\n",
        "db_password = ⟦MapleRiver73⟧\nhost = x\n",
        "INFO user=bob password=⟦SunsetTiger42⟧ ok",
        "- name: SECRET_KEY\n  value: ⟦e9FPOzhsDgzTMurp⟧\n",
        "{ user: app, password: ⟦SunsetTiger42⟧ }",
        "kubectl create secret generic db --from-literal=password=⟦JwjFqCpkWwJs9AKv⟧ --from-literal=username=app",
        "helm install x ./x --set auth.password=⟦FqZenuIUApciB0iP⟧,auth.user=app",
        "Your temporary password: ⟦BridgeMonkey95$⟧",
        "**Password:** ⟦kYuwwUwtbCgkoeMx⟧",
        "The password is ⟦kYuwwUwtbCgkoeMx⟧.",
        "connect user=app password=⟦NLg2F4yaUEal⟧ db=x",
        "connect user=app password=⟦CoffeeSummer16⟧ db=x",
        // Code.
        "password = userInput42;\n",
        "let password = Form::password42(x);\n",
        "secret: Curve25519,\nsecret: Bytes32,\nsecret: Sha256,\n",
        "password = passwordField2\n",
        "{ password: Utf8PasswordField, token: sha1FromHttpRequest }",
        "password: changePassword, secret: readSecretFromVault\n",
        "def connect(user, password=defaultPassword):\n",
    ]);
}

#[test]
fn passwords_of_a_password_manager() {
    check(&[
        "DB_PASSWORD=⟦aEK%dk%cJM_HLrdv⟧\n",
        "DB_PASSWORD=⟦S%,3dBz{wqH⟧\n",
        "DB_PASSWORD=⟦sw33CGH2(m=8.xotY6cm⟧\n",
        "DB_PASSWORD=⟦{otcpFNC=0w:B=>^⟧\n",
        "DB_PASSWORD=⟦h-dr$E3$V<+:JXj(⟧\n",
        "{\"password\": \"⟦?nMzBV%v(t/=⟧\"}",
        "{\"password\": \"⟦W}{G4squ9Bx[⟧\"}",
        "{\"password\": \"⟦<!hK~s^!fVCi⟧\"}",
        "{\"password\": \"⟦/aGM9pKWdxkaVOiDJcBoPngurI/ReauO⟧\"}",
        "password: '⟦GJPxv->~Hf[9⟧'\n",
        "const apiKey = '⟦qyIe2CQ+QnDyC0Ocz18dF/sy2zg3bNDJ⟧';",
        "define('AUTH_KEY', '⟦G(,bAx|5QbJBqx175#_EW~q7r{zuS9.X_.a!CV)&-[AJSn4-Ub%Oo1Ro8oFLS}j,⟧');",
        "db:\n  password: ⟦Z9enRcSEW/g5I0Q9U6y4Qe+Mi1npEd4o⟧\n",
        "password: ⟦eWNuJz%dpapb⟧\n",
        // Templates, calls, tags, expressions and paths.
        "password = \"%s:%d\"\npassword: \"{user}-{host}\"\npassword: \"%(DB_PASSWORD)s\"\n",
        "password={values.password} secret={(event) => setSecret(event)}",
        "PASSWORD=$(cat <file) SECRET={{ lookup('X') }}\n",
        "password: \"<your password>\", secret: \"<td class='x'>\"",
        "password: '^(?=.*[A-Z])(?=.*\\d)[A-Za-z\\d@$!%*?&]{8,}$'",
        "secret: \"Vault::Client->read_Path(x)\"",
        "secret = \"/etc/Ssl/Private/Server2/Main\"",
        "fn set(password: Option<&[u8]>, secret: Option<&str>)",
    ]);
}

/// Once found right behind a `=` only, so that no value of JSON was.
#[test]
fn passwords_of_several_words_in_every_syntax() {
    check(&[
        "{\"password\": \"⟦Correct Horse 9!⟧\"}",
        "{\\\"password\\\": \\\"⟦Correct Horse 9!⟧\\\"}",
        "{\"password\":\"⟦correct horse battery staple⟧\"}",
        "{\"password\": \"⟦Correct Horse Battery Staple⟧\"}",
        "{\"password\": \"⟦cat in the hat 7!⟧\", \"pwd\": \"⟦My Secret Pass 123!⟧\"}",
        "{\"db_password\":\"⟦hunter two 22⟧\",\"client_secret\":\"⟦hunter two 23⟧\"}",
        "{\"passphrase\": \"⟦зелёный слон 9!⟧\", \"passwort\": \"⟦grüner Elefant 77⟧\"}",
        "password: \"⟦Correct Horse 9!⟧\"\ndb_password: '⟦to be or not to be 99⟧'\n",
        "db_password = \"⟦hunter two⟧\"\n",
        "{\"name\":\"DB_PASSWORD\",\"value\":\"⟦Correct Horse 9!⟧\"}",
        "<password>⟦correct horse battery staple⟧</password>",
        "<entry key=\"password\">⟦Correct Horse 9!⟧</entry>",
        "tool --password \"⟦Correct Horse 9!⟧\"",
        "define('DB_PASSWORD', '⟦Correct Horse 9!⟧'); setPassword(\"⟦hunter two 22⟧\");",
        "\"passwords\": [\"⟦Correct Horse 9!⟧\", \"⟦correct horse battery staple⟧\"]",
        "The password is \"⟦Correct Horse 9!⟧\".",
    ]);
}

#[test]
fn labels_and_hints_of_the_field_of_a_password() {
    for label in [
        "Enter your password",
        "Forgot Password",
        "Password 2",
        "Password must be at least 8 characters",
        "At least 8 characters",
        "Optional, 6 to 20 chars",
        "Expires in 30 days",
        "is too short",
        "does not match",
        "Wrong credentials!",
        "Sign In",
        "Leave blank to keep current",
        "The password for the database",
        "Login & Password",
        "Mindestens 8 Zeichen",
        "Neues Kennwort",
        "Mot de passe oublié",
        "Au moins 8 caractères",
        "Nueva contraseña",
        "Mínimo 8 caracteres",
        "wachtwoord herhalen",
        "senha antiga",
        "nowe hasło",
        "Введите ваш пароль",
        "Не менее 8 символов",
        "新しい パスワード",
        "Mật khẩu mới",
    ] {
        check(&[
            &format!("{{\"password\": \"{label}\"}}"),
            &format!("password: '{label}'\n"),
            &format!("db_password = \"{label}\"\n"),
            &format!("<string name=\"password\">{label}</string>"),
        ]);
    }
}

#[test]
fn tokens_of_letters_alone() {
    check(&[
        "API_KEY=⟦NViWQhwXfTxagpzl⟧\n",
        "token: ⟦MuROzyuHPItWHjDO⟧\n",
        "X-Api-Key: ⟦jjbvvSIFooEqZWlR⟧\n",
        "tool --api-key=⟦DSAaFxGVMrSOGVRT⟧ run",
        "GET /x?token=⟦MuROzyuHPItWHjDO⟧&y=1 HTTP/1.1",
        "token = XMLHttpRequestToken\ntoken: AccessTokenProvider,\n",
        "API_KEY=someServiceApiKey\ntoken=getNextTokenOrNull\n",
    ]);
}

#[test]
fn names_of_secrets() {
    check(&[
        "ADMIN_PW=⟦Summer@2023⟧\nSMTP_PW=⟦monkey4593x⟧\n",
        "pw: ⟦SunsetTiger42⟧\n",
        "{\"pw\": \"⟦SunsetTiger42⟧\"}",
        "let pw: String = \"⟦garden1178⟧\".into();",
        "psk=\"⟦Tiger66!⟧\"\n",
        "Mon mdp: ⟦Marble@2024⟧",
        "ADMIN_PIN=⟦739251⟧\n",
        "PEPPER=⟦k9Qv2LmX7bRt4WzN8cYp⟧\n",
        "MFA_SEED=⟦JBSW3Y2EHPK3PX4Q⟧\n",
        "DEPLOYER_PK=⟦0x4c0883a69102937d6231471b5dbb6204fe5129617082792ae468d01a3f362318⟧\n",
        "HASH_SALT=⟦ab12Cd34Ef56gh78Ij90kl⟧\n",
        "CSRF_SECRET=⟦ab12Cd34Ef56gh78Ij90kl12⟧\n",
        "Cookie: lang=de; PHPSESSID=⟦oojis9bxlwsayksmlytxgzvi4z⟧",
        "LED_PIN=13\nSPI_PIN=GPIO_NUM_18\n",
        "random_seed=1234567\nresume_psk: Option<&[u8]>,\n",
        "TLS_PSK_WITH_NULL_SHA => 0x002c,\n#define TLS1_RFC_PSK_WITH_AES_128_CCM \"TLS_PSK_WITH_AES_128_CCM\"\n",
        "user_pk=42\nmdp: md5\ncsrf_token_name=csrftoken\n",
    ]);
}

#[test]
fn where_a_value_ends() {
    check(&[
        "host=db user=app password=⟦fNVMKd%puNHJ&Sjg⟧ dbname=x",
        "curl 'https://api.example.com/data?api_key=⟦jHSTUdYyfXehdgOgmeyZFBDc⟧&q=x'",
        "password: «⟦Summer2024!⟧», passwort: „⟦Hammer59!⟧“",
        "数据库密码：⟦tiger-garden-11⟧，请保密",
        "パスワード：⟦pWAxg7hO3fcU!⟧",
        "<td>password=⟦Summer2024!⟧</td>",
    ]);
}

#[test]
fn values_in_another_field_than_their_name() {
    check(&[
        "variable \"db_password\" {\n  type    = string\n  default = \"⟦gpR7kKFu3PLRpXTHAR9Imn7j⟧\"\n}",
        "DbPassword:\n  Type: String\n  NoEcho: true\n  Default: ⟦Summer2024!⟧\n",
        "\"adminPassword\": { \"value\": \"⟦Summer2024!⟧\" }",
        "{\"name\":\"DB_PASSWORD\",\"secret\":true,\"value\":\"⟦Summer2024!⟧\"}",
        "{\"name\":\"password\",\"type\":\"string\",\"value\":\"⟦Summer2024!⟧\"}",
        "{\"Value\":\"⟦Summer2024!⟧\",\"Name\":\"DB_PASSWORD\"}",
        "{\"ParameterKey\":\"DBPassword\",\"ParameterValue\":\"⟦Summer2024!⟧\"}",
        "variable \"token_ttl\" {\n  default = \"24h0m\"\n}\nvariable \"db_password\" {\n  type = string\n}\n",
        "{\"name\":\"password\",\"in\":\"query\",\"value\":{\"type\":\"string\"}}",
        "password:\n  type: string\n  default: hidden\n  description: The password, 8 to 64 characters\n",
        "{\"value\":\"monthly1\",\"name\":\"plan\"}, {\"name\":\"password\"}",
    ]);
}

#[test]
fn values_between_tags() {
    check(&[
        "<property name=\"hibernate.connection.password\">⟦planet7644⟧</property>",
        "<entry key=\"password\">⟦Summer2024!⟧</entry>",
        "<key>API_KEY</key>\n<string>⟦d2ZWMOgWrxJoAsODge7TCTH9BMnG1vjH⟧</string>",
        "<setting name=\"Password\" serializeAs=\"String\"><value>⟦Summer2024!⟧</value></setting>",
        "<password><![CDATA[⟦Summer2024!⟧]]></password>",
        "<string name=\"password\">Contraseña</string><string name=\"secret\">Geheim</string>",
        "<label for=\"password\">Password 2</label><input name=\"password\" type=\"password\"/><b>Web2</b>",
        "<key>Token</key>\n<true/>\n<password></password><a>Summer2024!</a>",
    ]);
}

#[test]
fn values_below_their_name() {
    check(&[
        "password: |\n  ⟦planet7644⟧\n",
        "password: >-\n  ⟦Summer2024!⟧\n",
        "Password:\n⟦Summer2024!⟧\n",
        "Content-Disposition: form-data; name=\"password\"\r\n\r\n⟦Summer2024!⟧\r\n",
        "PASSWORDS = [\"⟦planet7644⟧\", \"⟦MonkeyPurple15$⟧\"]\n",
        "\"tokens\": [\"⟦h7zzTbBxCyNaEWon⟧\", \"⟦a7zzTbBxCyNaEWon⟧\"]",
        "api_keys:\n  - ⟦k4mEYE9Slyx3bzD6rs2Q⟧\n  - ⟦q8RkT2vLw9ZxB4nM6pYs⟧\n",
        "\"tokens\": [\"the\", \"quick\", \"brown\", \"fox2\", \"\\n\"]",
        "secrets:\n  - db_password\n  - source: api_key_v2\n",
        "password:\n  required: true\n  min: 8\nsecret:\n  name: db-secret-2\n",
        "return the password\nitem.value2 = 3\n",
        "passwords = [\"\"\"\n  a1\n\"\"\", generate(2)]\n",
    ]);
}

#[test]
fn secrets_in_columns() {
    check(&[
        "user,password\nbob,⟦BridgeGarden13⟧\nann,\"⟦a,b77!⟧\"\n\nbob,⟦sunset-99⟧\n",
        "id\tname\tpassword\n1\tbob\t⟦kKOVXhR6FQTz!⟧\n",
        "| user | password |\n|---|---|\n| admin | ⟦silver9014⟧ |\n| ops | `⟦Marble@2017⟧` |\n",
        " name | password \n------+----------\n bob  | ⟦Tiger66!⟧ \n(1 row)\n",
        "name;token\r\nci;⟦d2ZWMOgWrxJoAsODge7TCTH9BMnG1vjH⟧\r\n",
        "INSERT INTO users (name, password) VALUES ('Ann', '⟦Summer2024!⟧'),\n  ('Bob', N'⟦Winter''77⟧');",
        "from x import password, token\nfoo, bar25\n",
        "user, password, host\nfoo(bar2, baz3, 77)\n",
        "| option | password | meaning |\n|---|---|---|\n| length | required | 8 to 64 |\n| hash | bcrypt | see 4.2 |\n",
        "key,value\n4f3c9b1e8d7a6f5e4d3c2b1a09f8e7d6c5b4a392,1\n",
        "password,hash\n,5f4dcc3b5aa765d61d8327deb882cf99\nnone,\n",
        "    password,\n    host2,\n    sha256,\n",
    ]);
}

#[test]
fn personal_numbers_in_columns() {
    check(&[
        "name,phone,ssn\nAnn,⟦2127365000⟧,⟦536-22-1234⟧\n",
        "id,ssn\n1,⟦536221234⟧\n2,⟦536221235⟧\n",
        "ssn\n⟦536221234⟧\n",
        "| name | phone |\n|---|---|\n| Ann | ⟦612 345 678⟧ |\n",
        "INSERT INTO people (name, mobile) VALUES ('Ann', '⟦612345678⟧');",
        "phone,views\niPhone 15,10482\nssn,count\n000000000,3\n",
        "phone, tablet\n",
    ]);
}

#[test]
fn sentences() {
    check(&[
        "I set the root password to ⟦Summer@2012⟧ yesterday.",
        "I changed the password from ⟦Silver89!⟧ to ⟦Marble@2017⟧.",
        "password for bob: ⟦Summer2024!⟧",
        "The password was changed to ⟦Summer2024!⟧ last week",
        "Log in with password ⟦Summer2024!⟧, please",
        "user bob, pass ⟦CoffeeSummer96$⟧",
        "Password for the VPN = ⟦Copper75!⟧",
        "password (db): ⟦pepper9229⟧",
        "password (⟦Summer2024!⟧)",
        "password — ⟦Summer2024!⟧",
        "the secret we use is `⟦Purple@2010⟧`",
        "Use the API key ⟦MMBytZKAzeBByXJ8RYH8vOTp⟧ for testing.",
        "Zugangsdaten: Benutzer admin, Passwort ⟦Dragon14!⟧",
        "Das neue Kennwort für den Server ist „⟦Hammer59!⟧“.",
        "Пароль от сервера: ⟦marble-rocket-57⟧",
        "Mon mdp c'est ⟦Marble@2024⟧",
        "A senha do servidor é ⟦garden1178⟧",
        "Hasło do serwera to ⟦dragon-garden-50⟧",
        "Tu clave de acceso: ⟦falcon4435⟧",
        "パスワードは⟦YNl7CisLSubt⟧です",
        "密码是⟦Z4SWcuCoLYbz⟧",
        "The password must be at least 8 characters and is hashed with sha256 or Argon2id.",
        "The password hash for bob is: see RFC2617 and section 4.2, or the password of version 2.3.1",
        "is also identified as windows-1255. A two-pass memchr2+SWAR search, one can pass that to `a.run2()`",
        "the output of the `--pvk-password` or `--prompt-for-2fa-password` flag",
        "credentials are written to `$HOME/.kube/config2`. JSON Web Token (JWT)](https://x.example/a2)",
        "the secret to success in 2024 is in Chapter12, the password for user2 is required",
    ]);
}

#[test]
fn code_that_falls_back_to_a_secret_or_wraps_it() {
    check(&[
        "const pass = process.env.DB_PASS || '⟦Tiger66!⟧';",
        "configuration[\"Db:Password\"] ?? \"⟦Tiger66!⟧\"",
        "let token = String::from(\"⟦5sIAjRhrdYY4EimJ⟧\");",
        "Password: []byte(\"⟦planet7644⟧\"),",
        "CREATE LOGIN app WITH PASSWORD = N'⟦planet7644⟧';",
        "requests.get(url, auth=('admin', '⟦Planet17!⟧'))",
        "HTTPBasicAuth('admin', '⟦pepper6316⟧')",
        "new NetworkCredential(\"svc\", \"⟦Garden@2015⟧\")",
        "new mysqli('localhost','root','⟦Bridge18!⟧','shop')",
        "sql.Open(\"mysql\", \"app:⟦coffee2765⟧@tcp(db:3306)/shop\")",
        "page.fill('#password', '⟦Planet@2021⟧')",
        "getByLabel('Password').fill('⟦Planet@2021⟧')",
        "SMTP_PASSWORD=\"⟦mail pass 77!⟧\"\n",
        "SMTP_PASSWORD=\"⟦correct horse battery staple⟧\"\n",
        "DB_PASSWORD=\"change this value\"\nNO_PASSWORD=\"invalid credentials were given\"\n",
        "SMTP_PASSWORD=\"enter your own one\"\nOLD_PASSWORD=\"the password has expired\"\n",
        "client-key-data: ⟦LS0tLS1CRUdJTiBSU0EgUFJJVkFURSBLRVktLS0tLQoYJrkArvIQBhWV+P0miGMs+MHCLdbdwTIlSIY6o/Ams2F2pJUFUiScswEWlDnkOkz2D6Bek+bpu7c⟧\n",
        "client-certificate-data: LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCgYJrkArvIQBhWVP0miGMsMHCLdbdwTIlSIY6oAms2F2pJUFUiScswEWlDnkOkz2D6Bekbpu7c\n",
        "const pass = process.env.DB_PASS || 'password';\nlabel = t('password') || 'Password'\n",
        "auth=(user, password), HTTPBasicAuth(name, os.environ['PW2'])",
        "DriverManager.getConnection(\"jdbc:x\", \"root\", \"\")",
        "password = getpass(\"Password 2: \")\ntoken = String::from(\"bearer\")\n",
        "fmt.Sprintf(\"%s:%s@tcp(%s)/x\", user, pass, host)",
    ]);
}

#[test]
fn lines_of_configuration() {
    check(&[
        "requirepass ⟦planet7644xx⟧\nmasterauth ⟦k9Qv2LmX7b⟧\n",
        "ENV DB_PASSWORD ⟦planet7644⟧\n",
        "set -x DB_PASSWORD ⟦planet7644⟧\n",
        "ENV PASSWORD_FILE /run/secrets/db2\nset password required\n",
    ]);
}

#[test]
fn arguments_of_commands() {
    check(&[
        "redis-cli -h cache -a ⟦rBPdSoWsmvL27NHn⟧ ping",
        "sshpass -p⟦8EPhdLXrw2⟧ scp a root@db01:/tmp",
        "ldapsearch -x -D cn=admin,dc=acme -w ⟦lL7v13kJqh4B⟧ -b dc=acme",
        "sqlcmd -S db -U sa -P '⟦winter6323⟧' -Q 'select 1'",
        "mosquitto_pub -h mq -u dev -P ⟦yDxn5fylxuD0⟧ -t x -m y",
        "smbclient //srv/share -U 'bob%⟦rlaNwuEv6U0u⟧'",
        "lftp -u bob,⟦zQ9yFdp3JyJL⟧ ftp.example.net",
        "zip -P ⟦cbGD5CZaXb⟧ a.zip a",
        "openssl enc -aes-256-cbc -k ⟦yPV1G9VWpiqOcz⟧ -in a -out b",
        "plink -pw ⟦dJY675LCGHYE⟧ root@srv",
        "keytool -genkey -storepass ⟦dJY675LCGHYE⟧ -alias x",
        "nmcli dev wifi connect Home password ⟦bxhywYg5y0Gx⟧",
        "ConvertTo-SecureString '⟦planet7644⟧' -AsPlainText -Force",
        "sshpass -e ssh -p2222 deploy-host uptime\nmosquitto_sub -p 8883 -t topic2\n",
        "redis-cli -a $REDIS_PASSWORD -p 6379 ping\nsqlcmd -S db -i file2.sql\n",
        "gzip -p2 a && zip -r9 out.zip src\n7z a -tzip -mx9 out2.7z src2\n",
        "openssl enc -aes-256-cbc -kfile key2.bin\nldapsearch -W -H ldap1 uid=x2\n",
    ]);
}

/// Each was once missed for what stands around the value.
#[test]
fn values_in_the_lines_and_brackets_that_files_really_have() {
    check(&[
        "passwords:\r\n  - ⟦Sunset01!x⟧\r\n  - ⟦Tiger22!b⟧\r\n",
        "DbPassword:\r\n  Type: String\r\n  Default: ⟦Sunset01!x⟧\r\n",
        "<password type=\"plain\">⟦Sunset01!x⟧</password>",
        "<password>\n      ⟦Sunset01!x⟧\n    </password>",
        "<password type=\"plain\">${x}</password><secret name=\"abc\">\n  some text here\n</secret>",
        "POSTGRES_PASSWORD: ${POSTGRES_PASSWORD:-⟦Sunset01!x⟧}\n",
        "url: \"pg://app:${DB_PASSWORD:-⟦Sunset01!x⟧}@db/a\"",
        "spring.password: ${DB_PASSWORD:⟦Sunset01!x⟧}\n",
        "echo ${DB_PASSWORD:-\"⟦Sunset01!x⟧\"}",
        "${DB_PASSWORD:-postgres} ${DB_PASSWORD:?must be set} ${PASSWORD:-} ${TOKEN:-$OTHER1} ${A_PASSWORD:-${B_PASSWORD2}}",
    ]);
}

/// Once thirty-two of them were found.
#[test]
fn every_value_of_a_long_list() {
    let values: Vec<_> = (0..200)
        .map(|index| format!("\"⟦Sunset{index}!x⟧\""))
        .collect();
    check(&[&format!("\"passwords\": [{}]", values.join(", "))]);
}

/// Once every argument had to be in quotes.
#[test]
fn arguments_behind_names_and_look_ups() {
    check(&[
        "requests.get(url, auth=(user, \"⟦Silver89!x⟧\"))",
        "requests.get(url, auth=(config['user'], '⟦Silver89!x⟧'))",
        "HTTPBasicAuth(username, \"⟦Silver89!x⟧\"), HTTPBasicAuth('admin', '⟦Correct Horse 9!⟧')",
        "HTTPBasicAuth(\\\"bob\\\", \\\"⟦Silver89!x⟧\\\")",
        "HTTPBasicAuth('admin', '⟦Sil\\'ver89!x⟧')",
        "new PDO($dsn, $user, '⟦Silver89!x⟧')",
        "DriverManager.getConnection(url, \"root\", \"⟦Silver89!x⟧\")",
        "ConvertTo-SecureString -String \"⟦Silver89!x⟧\" -AsPlainText -Force",
        "auth=(user, password), HTTPBasicAuth(name, os.environ['PW2'])",
    ]);
}

#[test]
fn values_before_their_names_and_behind_other_fields() {
    check(&[
        "- value: ⟦Sunset01!x⟧\n  name: DB_PASSWORD\n",
        "- value: \"⟦Sunset01!x⟧\"\r\n  name: DB_PASSWORD\r\n",
        "<add value=\"⟦Sunset01!x⟧\" key=\"DbPassword\"/>",
        "{\"value\":\"⟦Sun\\\"set01!x⟧\",\"name\":\"DB_PASSWORD\"}",
        "{\"name\":\"DB_PASSWORD\",\"scope\":[\"a\",\"b\"],\"value\":\"⟦Sunset01!x⟧\"}",
        "variable \"db_password\" {\n  # of the shop\n  type = string\n  default = \"⟦Sunset01!x⟧\"\n}",
        "variable \"db_password\" {\n  description = \"What the shop takes to reach the database that holds its orders\"\n  default = \"⟦Sunset01!x⟧\"\n}",
        "- value: db01!x\n- name: DB_PASSWORD\n  valueFrom:\n    secretKeyRef: {name: x}",
        "<a value=\"x1!abc\"/><b key=\"DbPassword\"/>",
    ]);
}

#[test]
fn words_of_code_that_stand_where_secrets_do() {
    check(&[
        "needless_pass_by_ref_mut = \"warn\"\n",
        "Acl { passwords: vec![], password: vec![] }",
        "an error, identified by `code:` or `name`",
        "# Basic Operation\n\n# Basic Authentication\n",
        "Authorization: Basic ⟦dXNlcjpwYXNzd29yZDE=⟧",
    ]);
}
