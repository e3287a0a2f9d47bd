//! Fills the slots of generated sentences.

use super::Random;
use super::inflect::{self, Case};
use super::resources::{Names, Resources};
use engine::detect::names::walk::Tag;

/// Where the names of a language are from.
#[must_use]
pub fn locales(language: &str) -> &'static [&'static str] {
    match language {
        "de" => &["de_DE", "de_AT", "de_CH", "list-de"],
        "fr" => &["fr_FR", "fr_CH", "fr_BE", "list-fr", "fr_CA"],
        "es" => &["es_ES", "es_MX", "es_AR", "es_CO", "list-es"],
        "pl" => &["pl_PL", "list-pl"],
        "pt" => &["pt_BR", "pt_PT", "list-pt"],
        "it" => &["it_IT", "list-it"],
        "nl" => &["nl_NL", "nl_BE", "list-nl"],
        _ => &["en_US", "en_GB", "en_IE", "en_NZ", "list-en"],
    }
}

/// Locales of people who are named in texts of any language.
const FOREIGN: [&str; 48] = [
    "de_DE",
    "fr_FR",
    "es_ES",
    "pl_PL",
    "it_IT",
    "nl_NL",
    "pt_BR",
    "cs_CZ",
    "sv_SE",
    "hu_HU",
    "ro_RO",
    "tr_TR",
    "fi_FI",
    "hr_HR",
    "en_IN",
    "en_NG",
    "no_NO",
    "da_DK",
    "id_ID",
    "en_KE",
    "vi_VN",
    "zh_TW",
    "lt_LT",
    "sk_SK",
    "en_PK",
    "fr_DZ",
    "yo_NG",
    "ig_NG",
    "ha_NG",
    "tw_GH",
    "zu_ZA",
    "people-en_IN",
    "people-en_NG",
    "people-en_GH",
    "people-en_ZA",
    "people-fr_SN",
    "people-id_ID",
    "people-tr",
    "people-tr",
    "people-vi",
    "people-ku_kmr_latin",
    "people-sr_RS_latin",
    "people-uz_UZ_latin",
    "people-india",
    "people-india",
    "people-china",
    "people-korea",
    "people-japan",
];

const COUNTRIES: [(&str, &[&str]); 8] = [
    ("en", &["US", "GB", "CA", "AU", "IE"]),
    ("de", &["DE", "AT", "CH"]),
    ("fr", &["FR", "BE", "CH", "CA"]),
    ("es", &["ES", "MX", "AR", "CO", "CL", "PE"]),
    ("pl", &["PL"]),
    ("pt", &["BR", "PT"]),
    ("it", &["IT"]),
    ("nl", &["NL", "BE"]),
];

/// Products, languages, libraries, assistants: names that are nobody's.
pub const PRODUCTS: &str = "Python,Docker,Kubernetes,Jenkins,Claude,Gemini,Alexa,Siri,Cortana,Maven,Gradle,Django,Flask,Jupyter,Pandas,Ruby,Julia,Rust,Swift,Kotlin,Dart,Perl,Ada,Pascal,Haskell,Erlang,Elixir,Scala,Groovy,Clojure,Lua,Crystal,Hugo,Jekyll,Gatsby,Angular,React,Vue,Svelte,Ember,Redis,Postgres,PostgreSQL,Mongo,Cassandra,Kafka,Spark,Hadoop,Airflow,Luigi,Celery,Gunicorn,Apache,Tomcat,Jetty,Nginx,Caddy,Grafana,Prometheus,Loki,Tempo,Thanos,Istio,Helm,Terraform,Ansible,Chef,Puppet,Vagrant,Vault,Consul,Nomad,Oscar,Mercury,Sonnet,Opus,Haiku,Llama,Mistral,Bard,Copilot,Codex,Cursor,Aider,Devin,Bash,Zsh,Vim,Emacs,Nano,Sublime Text,Atom,Jira,Trello,Asana,Slack,Zoom,Teams,Notion,Linear,Figma,Sketch,Adobe Photoshop,Oracle,Claude Code,Claude Sonnet,Claude Opus,Claude Haiku,Claude Desktop,Gemini Pro,Google Gemini,GitHub Copilot,Visual Studio Code,Windows,Linux,Ubuntu,Debian,Fedora,Alpine,Android,Chrome,Firefox,Safari,Edge,Opera,Brave,Tor,Excel,Word,Outlook,PowerPoint,Access,Sharepoint,Salesforce,Stripe,Twilio,Shopify,Magento,Drupal,Joomla,Wordpress,Laravel,Symfony,Rails,Sinatra,Spring Boot,Hibernate,Jackson,Gson,Guava,Mockito,Junit,Selenium,Cypress,Playwright,Jest,Mocha,Karma,Jasmine,Chai,Sinon,Babel,Webpack,Rollup,Vite,Parcel,Gulp,Grunt,Bower,Yarn,Node,Deno,Bun,Express,Fastify,Koa,Hapi,Nest,Nuxt,Next,Remix,Astro,Tailwind,Bootstrap,Foundation,Sass,Less,Stylus,Postman,Insomnia,Swagger,Apollo,Prisma,Sequelize,Knex,Bookshelf,Mongoose,Elastic,Logstash,Kibana,Splunk,Sentry,Datadog,Zabbix,Nagios,Icinga,Puma,Unicorn,Thor,Rake,Bundler,Celeste,Jasper,Rasa,Ollama,Whisper,Falcon,Vicuna,Alpaca,Phoenix,Sidekiq,Hydra,Pydantic,Numpy,Scipy,Keras,Torch,Theano,Caffe,Darknet,Jax,Optuna,Ray,Dask,Prefect,Dagster,Trino,Presto,Hive,Pig,Impala,Druid,Pinot,Flink,Storm,Samza,Beam,Avro,Thrift,Parquet,Arrow,Iceberg,Delta,Hudi,Tableau,Looker,Metabase,Superset,Victoria,Mimir,Jaeger,Zipkin,Envoy,Linkerd,Cilium,Calico,Flannel,Rook,Ceph,Gluster,Minio,Harbor,Quay,Podman,Buildah,Skaffold,Tilt,Argo,Flux,Tekton,Spinnaker,Drone,Travis,Bamboo,Gerrit,Bazel,Buck,Pants,Meson,Ninja,Conan,Spack,Homebrew,Chocolatey,Scoop,Winget,Snap,Wayland,Mutter,Xfce,Cinnamon,Mate,Unity,Godot,Unreal,Blender,Maya,Houdini,Inkscape,Krita,Audacity,Ardour,Cubase,Logic,Max,Bitwarden,Keepass,Tailscale,Wireguard,Wireshark,Nmap,Metasploit,Burp,Kali,Snort,Suricata,Hashcat,John the Ripper,Paw,Dash,Alfred,Raycast,Obsidian,Roam,Anki,Duolingo,Kindle,Calibre,Pandoc,Sphinx,Doxygen,Mermaid,Graphviz,Matplotlib,Seaborn,Plotly,Bokeh,Altair,Vega,Polars,Ruff,Black,Pylint,Mypy,Pyright,Poetry,Hatch,Conda,Mamba,Anaconda,Arduino,Raspberry Pi,Jetson Nano,Alexa Skill,Google Home,Apple Watch,Amazon Echo,Tesla,Netflix,Spotify,Uber,Lyft,Tinder,Bumble,Zelle,Venmo,Klarna,Robinhood,Fidelity,Charles Schwab,Wells Fargo,Morgan Stanley,Goldman Sachs,Merrill Lynch,Johnson & Johnson,Procter & Gamble,Marks & Spencer,Ben & Jerry's,McDonald's,Wendy's,Macy's,Levi's,Sherlock,Watson,Einstein,Eliza,Cody,Amelia,Clippy,Tabnine,Qwen,Qwen Code,Kimi,Grok,Pi,Replit,Bolt,Lovable,Windsurf,Roo Code,Cline,Goose,Amp,Warp,Kiro,Jules,Manus";
/// Those of them that are also first names.
const NAMESAKES: &str = "Ada,Alexa,Alfred,Amelia,Celeste,Claude,Cody,Crystal,Devin,Eliza,Ember,Hugo,Jasmine,Jasper,Jules,Julia,Luigi,Max,Maya,Oscar,Pascal,Ray,Ruby,Victoria";
/// Firms that make them.
const MAKERS: &str = "Anthropic,OpenAI,Google,Microsoft,Meta,Amazon,Apple,Mistral,Cohere,Alibaba,IBM,Oracle,Nvidia,Intel,Samsung,GitHub,Hugging Face,xAI,Tencent,Baidu";
const EPONYMS: &str = "Gauss,Fourier,Laplace,Bayes,Markov,Turing,Poisson,Bernoulli,Newton,Euler,Dijkstra,Levenshtein,Huffman,Bloom,Fibonacci,Hamming,Jaccard,Pareto,Nash,Monte Carlo,Las Vegas,Chebyshev,Hilbert,Voronoi,Mandelbrot,Kalman,Sobel,Perlin,Boyer-Moore,Knuth-Morris-Pratt,Rabin-Karp,Floyd-Warshall,Bellman-Ford,Kruskal,Prim,Reed-Solomon,Diffie-Hellman,Merkle,Paxos,Byzantine,Lamport,Amdahl,Moore,Murphy,Conway,Parkinson,Gaussian,Boolean,Cartesian,Euclidean,Manhattan,Fisher,Student,Pearson,Spearman,Kendall,Mann-Whitney,Shapiro-Wilk,Wilcoxon,Welch,Cohen,Cox,Kaplan-Meier,Taylor,Maclaurin,Simpson,Runge-Kutta,Navier-Stokes,Maxwell,Ohm,Faraday,Planck,Hubble,Doppler,Hooke,Boyle,Liskov,Demeter,Gantt,Gutenberg,Nobel,Pulitzer,Oscar,Grammy,Emmy,Turing,Fields,Alzheimer,Parkinson,Down,Crohn,Hodgkin,Asperger,Tourette,Caesar,Vigenere,Shamir,Schnorr,Edwards,Montgomery,Barrett,Karatsuba,Strassen,Parkinson,Alzheimer,Hodgkin,Crohn,Graves,Addison,Cushing,Huntington,McBurney,Raynaud,Sjögren,Basedow,Hashimoto,Kaposi,Down,Turner,Asperger,Tourette,Wilson,Paget,Barrett,Kawasaki,Chagas,Lyme,Glasgow,Apgar,Lasègue,Trendelenburg,Blumberg,Kernig,Brudzinski,Hoffmann,Tinel,Phalen,Mann-Whitney,Kolmogorov-Smirnov,Bonferroni,Wilcoxon,Gauss-Newton,Cauchy,Planck,Ohm,Fisher-Yates,Jaro-Winkler,Needleman-Wunsch,Smith-Waterman,Hough,Canny,Otsu,Gabor,Likert,Maslow,Gantt,Richter,Mohs,Beaufort";
const DAYS: &str = "Monday,Tuesday,Wednesday,Thursday,Friday,Saturday,Sunday,January,February,March,April,May,June,July,August,September,October,November,December,Christmas,Easter,Halloween,Thanksgiving,Ramadan,Hanukkah,Summer,Winter,Montag,Dienstag,Mittwoch,Donnerstag,Freitag,Samstag,Sonntag,Januar,Februar,März,Mai,Juni,Juli,Oktober,Dezember";
const BRANDS: &str = "Siemens,Bosch,Allianz,Deutsche Bank,Lufthansa,Renault,Peugeot,Carrefour,Orange,Santander,Telefónica,Inditex,Iberia,PKO BP,Orlen,Allegro,Google,Microsoft,Amazon,Apple,IBM,Reuters,the BBC,CNN,UNICEF,the Red Cross,Greenpeace,NASA,NATO,the European Commission,Philips,ING,Fiat,Eni,Petrobras,Vodafone,Tesco,Unilever,Nestlé,Novartis,Roche,Ikea,Volvo,Nokia,Samsung,Toyota,Sony,Real Madrid,Bayern München,FC Barcelona,Juventus,Manchester United,Legia Warszawa,Harvard,Oxford University,MIT,Goldman Sachs,Pfizer,Boeing,Airbus,Walmart,Starbucks,Netflix";
const SUFFIXES: [(&str, &[&str]); 6] = [
    (
        "en",
        &[
            "Inc.",
            "Ltd",
            "LLC",
            "Group",
            "& Sons",
            "Partners",
            "Consulting",
            "Bank",
            "Logistics",
            "University",
            "Foundation",
        ],
    ),
    (
        "de",
        &[
            "GmbH",
            "AG",
            "KG",
            "& Söhne",
            "Versicherung",
            "Stiftung",
            "Bank",
        ],
    ),
    ("fr", &["SA", "SARL", "et Fils", "Conseil", "Assurances"]),
    ("es", &["S.A.", "S.L.", "e Hijos", "Seguros", "Consultores"]),
    ("pl", &["Sp. z o.o.", "S.A.", "i Synowie", "Fundacja"]),
    ("nl", &["B.V.", "N.V.", "Groep"]),
];

/// Fills slots from the lists of packages.
#[derive(Debug, Clone, Copy)]
pub struct Filler<'r> {
    resources: &'r Resources,
    nouns: &'r [String],
}

/// What a slot is filled with: pieces, and whose names they are.
pub type Filled = Vec<(String, Option<Tag>)>;

impl<'r> Filler<'r> {
    /// A filler that takes German nouns from `nouns`.
    #[must_use]
    pub const fn new(resources: &'r Resources, nouns: &'r [String]) -> Self {
        Self { resources, nouns }
    }

    /// What stands in a slot; `None` for a slot that there is not.
    pub fn fill(&self, slot: &str, language: &str, random: &mut Random) -> Option<Filled> {
        let (slot, detail) = slot.split_once(':').unwrap_or((slot, ""));
        let case = match detail {
            "g" => Some(Case::Genitive),
            "d" => Some(Case::Dative),
            "a" => Some(Case::Accusative),
            "i" => Some(Case::Instrumental),
            "l" => Some(Case::Locative),
            "v" => Some(Case::Vocative),
            _ => None,
        };
        let person = |name: String| Some(vec![(name, Some(Tag::Person))]);
        let listed = |list: &str, random: &mut Random| {
            let list: Vec<&str> = list.split(',').collect();
            (*random.pick(&list)).to_owned()
        };
        match slot {
            "P" => person(self.person(language, case, random)),
            "F" => person(cased(&self.first(language, random), case)),
            "L" => person(cased(&self.last(language, random), case)),
            "I" => person(self.initialed(language, random)),
            "Q" => person(self.prefixed(language, random)),
            "V" => person(self.wordy(language, random)),
            "v" => Some(vec![(self.wordy(language, random), None)]),
            "K" => person(nickname(&self.first(language, random), random)),
            "U" => person(self.person(language, None, random).to_uppercase()),
            "R" => person(self.cited(language, random)),
            "H" => person(self.loud(language, random)),
            "C" => Some(vec![(self.city(language, random), Some(Tag::Location))]),
            "N" => Some(vec![(
                random.pick(&self.resources.countries).clone(),
                Some(Tag::Location),
            )]),
            "O" => Some(vec![(
                self.organization(language, random),
                Some(Tag::Organization),
            )]),
            "X" => Some(vec![(listed(PRODUCTS, random), None)]),
            "J" => Some(vec![(listed(NAMESAKES, random), None)]),
            "Y" => Some(vec![(listed(MAKERS, random), Some(Tag::Organization))]),
            "M" => Some(vec![(listed(EPONYMS, random), None)]),
            "E" if random.chance(75) => Some(vec![(listed(EPONYMS, random), None)]),
            "E" => Some(vec![(self.last(language, random), None)]),
            "D" => Some(vec![(listed(DAYS, random), None)]),
            "de" => Some(vec![(random.pick(self.nouns).clone(), None)]),
            "A" => Some(vec![(letter(random).to_string(), None)]),
            "w" => Some(vec![(self.word(detail, random), None)]),
            "x" => Some(vec![(
                format!("{}_{}", self.word("", random), self.word("", random)),
                None,
            )]),
            "W" => {
                let word = self.word(detail, random);
                let mut letters = word.chars();
                let first = letters.next()?.to_uppercase().collect::<String>();
                Some(vec![(first + letters.as_str(), None)])
            }
            "mail" => Some(vec![(
                format!("{}{}@example.org", self.word("", random), random.below(100)),
                None,
            )]),
            _ => None,
        }
    }

    fn names(&self, language: &str, random: &mut Random) -> &'r Names {
        let own = locales(language);
        loop {
            let locale = match language {
                locale if locale.contains('_') => locale,
                _ if random.chance(30) => random.pick(&FOREIGN),
                _ if random.chance(65) => own[0],
                _ => random.pick(own),
            };
            let locale = match locale {
                "zh_CN_latin" => "people-china",
                "ar_latin" => "en_PK",
                other => other,
            };
            let found = self
                .resources
                .names
                .get(locale)
                .or_else(|| self.resources.names.get("en_US"));
            if let Some(names) =
                found.filter(|names| !names.first.is_empty() && !names.last.is_empty())
            {
                return names;
            }
        }
    }

    /// A first name; the front of the list more often.
    fn first(&self, language: &str, random: &mut Random) -> String {
        usual(&self.names(language, random).first, random)
    }

    /// `J. Smith`, `J. P. M. Smith`
    fn initialed(&self, language: &str, random: &mut Random) -> String {
        let gap = if random.chance(70) { " " } else { "" };
        let count = 1 + random.below(10) / 7 + random.below(10) / 9;
        let initials: Vec<String> = (0..count).map(|_| format!("{}.", letter(random))).collect();
        let last = if random.chance(15) {
            self.prefixed(language, random)
        } else {
            self.last(language, random)
        };
        format!("{} {last}", initials.join(gap))
    }

    /// As references name authors: `Smith, J.`, `Smith, J. P.`
    fn cited(&self, language: &str, random: &mut Random) -> String {
        let second = if random.chance(25) {
            format!(" {}.", letter(random))
        } else {
            String::new()
        };
        let last = self.last(language, random);
        format!("{last}, {}.{second}", letter(random))
    }

    /// As devices print names: `J SMITH`, `SMITH`.
    fn loud(&self, language: &str, random: &mut Random) -> String {
        let last = self.last(language, random).to_uppercase();
        if random.chance(60) {
            format!("{} {last}", letter(random))
        } else {
            last
        }
    }

    /// A surname with a particle that has a capital: `De Wit`, `Van den Berg`.
    fn prefixed(&self, language: &str, random: &mut Random) -> String {
        let particles: &[&str] = match language {
            "nl" => &[
                "De", "Van", "Van der", "Van den", "Van de", "Ter", "El", "Ten",
            ],
            "fr" => &["Le", "La", "De", "Du", "Des", "De la", "Ben", "El"],
            "it" => &["De", "Di", "Della", "Lo", "La", "Del", "D'", "Dal"],
            "es" | "pt" => &["De la", "Del", "Da", "Dos", "De", "Do", "Della", "El"],
            "de" => &["Von", "Von der", "Zu", "El", "Van der", "De", "Di", "Al"],
            _ => &["De", "Van der", "Van", "Mac", "Le", "Di", "Al", "El", "St."],
        };
        let particle = random.pick(particles);
        let gap = if particle.ends_with('\'') { "" } else { " " };
        format!("{particle}{gap}{}", self.last(language, random))
    }

    /// A first name that is a word of a language or a place, if there is one: `April`, `Wolf`, `Florence`.
    fn wordy(&self, language: &str, random: &mut Random) -> String {
        let names = self.names(language, random);
        if names.wordy.is_empty() || random.chance(25) {
            return usual(&names.first, random);
        }
        random.pick(&names.wordy).clone()
    }

    fn last(&self, language: &str, random: &mut Random) -> String {
        usual(&self.names(language, random).last, random)
    }

    fn person(&self, language: &str, case: Option<Case>, random: &mut Random) -> String {
        let names = self.names(language, random);
        let mut first = cased(&usual(&names.first, random), case);
        let mut last = cased(&usual(&names.last, random), case);
        match random.below(100) {
            0..4 => first = format!("{first} {}", cased(&usual(&names.first, random), case)),
            4..8 if !first.contains('-') => {
                first = format!("{first}-{}", cased(&usual(&names.first, random), case));
            }
            8..14 => first = format!("{first} {}.", letter(random)),
            14..17 => first = format!("{}.", letter(random)),
            17..18 => first = format!("{}. {}.", letter(random), letter(random)),
            18..22 if !last.contains('-') => {
                last = format!("{last}-{}", cased(&usual(&names.last, random), case));
            }
            22..48 if matches!(language, "es" | "pt") => {
                last = format!("{last} {}", usual(&names.last, random));
            }
            22..42 if language == "nl" => {
                let particle =
                    random.pick(&["van der", "van de", "van den", "de", "van", "ten", "ter"]);
                last = format!("{particle} {last}");
            }
            22..26 if language == "de" => {
                last = format!("{} {last}", random.pick(&["von", "von der", "zu"]));
            }
            22..28 if language == "fr" => {
                last = format!(
                    "{} {last}",
                    random.pick(&["de", "du", "de La", "Le", "de la"])
                );
            }
            22..28 if language == "it" => {
                last = format!("{} {last}", random.pick(&["De", "Di", "Della", "Lo", "La"]));
            }
            22..25 => {
                last = format!(
                    "{} {last}",
                    random.pick(&["de", "van", "von", "da", "del", "dos", "bin", "El", "Al"])
                );
            }
            _ => {}
        }
        format!("{first} {last}")
    }

    fn city(&self, language: &str, random: &mut Random) -> String {
        let own = COUNTRIES
            .iter()
            .find(|(known, _)| *known == language)
            .map_or(&["US"] as &[_], |(_, codes)| codes);
        let codes: Vec<&String> = self.resources.cities.keys().collect();
        loop {
            let code = if random.chance(70) {
                (*random.pick(own)).to_owned()
            } else {
                (*random.pick(&codes)).clone()
            };
            if let Some(cities) = self.resources.cities.get(&code) {
                return usual(cities, random);
            }
        }
    }

    fn organization(&self, language: &str, random: &mut Random) -> String {
        if random.chance(35) {
            let brands: Vec<&str> = BRANDS.split(',').collect();
            return (*random.pick(&brands)).to_owned();
        }
        let suffixes = SUFFIXES
            .iter()
            .find(|(known, _)| *known == language)
            .unwrap_or(&SUFFIXES[0])
            .1;
        let suffix = *random.pick(suffixes);
        match random.below(3) {
            0 => format!("{} {suffix}", self.city(language, random)),
            1 => format!("{} {suffix}", self.last(language, random)),
            _ => {
                let word = self.word("", random);
                let (head, tail) = word.split_at(word.chars().next().map_or(0, char::len_utf8));
                format!("{}{tail} {suffix}", head.to_uppercase())
            }
        }
    }

    fn word(&self, language: &str, random: &mut Random) -> String {
        let language = if language.is_empty() { "en" } else { language };
        let empty = Vec::new();
        let words = self.resources.words.get(language).unwrap_or(&empty);
        loop {
            let most = if random.chance(60) { 1_500 } else { 8_000 };
            let word = random.pick(&words[..words.len().min(most)]);
            let (small, capital) = self
                .resources
                .written
                .get(word)
                .copied()
                .unwrap_or_default();
            if word.len() > 1
                && (small > capital || language != "en")
                && word.chars().all(char::is_alphabetic)
            {
                return word.clone();
            }
        }
    }
}

fn cased(name: &str, case: Option<Case>) -> String {
    case.map_or_else(|| name.to_owned(), |case| inflect::inflect(name, case))
}

/// What friends make of a first name: `Basti`, `Gabo`.
fn nickname(name: &str, random: &mut Random) -> String {
    let is_vowel = |letter: char| "aeiouyáéíóúäöü".contains(letter);
    let letters: Vec<char> = name.chars().take_while(|letter| *letter != '-').collect();
    let closed =
        (2..letters.len().min(5)).find(|&at| !is_vowel(letters[at]) && is_vowel(letters[at - 1]));
    let Some(end) = closed.filter(|_| random.chance(75)) else {
        return name.to_owned();
    };
    let stem: String = letters[..=end].iter().collect();
    let ending = random.pick(&["", "i", "y", "o", "a", "ie", "e", "u", "ek", "inho"]);
    format!("{stem}{ending}")
}

fn letter(random: &mut Random) -> char {
    char::from(b'A' + u8::try_from(random.below(26)).unwrap_or(0))
}

fn usual(list: &[String], random: &mut Random) -> String {
    let most = if random.chance(50) {
        list.len().min(300)
    } else {
        list.len()
    };
    random.pick(&list[..most]).clone()
}
