//! The names of each language.

use super::NameLanguage;

/// In the order in which a name is compared with them.
pub(super) static TONGUES: [NameLanguage; 8] = [
    GERMAN, POLISH, SPANISH, FRENCH, ITALIAN, PORTUGUESE, DUTCH, ENGLISH,
];

#[rustfmt::skip]
pub(super) const ENGLISH: NameLanguage = NameLanguage {
    women: &[
        "Abigail", "Alison", "Amanda", "Beatrice", "Bridget", "Caroline", "Catherine", "Cynthia", "Deborah", "Diane", "Eleanor",
        "Elizabeth", "Emily", "Evelyn", "Fiona", "Gillian", "Hannah", "Harriet", "Heather", "Helen", "Imogen", "Jennifer",
        "Jessica", "Judith", "Kathleen", "Laura", "Lindsay", "Lucy", "Margaret", "Megan", "Melissa", "Naomi", "Nicole",
        "Olivia", "Pamela", "Rachel", "Rebecca", "Rosemary", "Samantha", "Sarah", "Sharon", "Stephanie", "Susan", "Tamsin",
        "Teresa", "Valerie", "Vanessa", "Yvonne",
    ],
    men: &[
        "Adrian", "Alan", "Alistair", "Andrew", "Anthony", "Arthur", "Barnaby", "Benjamin", "Brendan", "Brian", "Callum",
        "Cameron", "Christopher", "Daniel", "Desmond", "Douglas", "Duncan", "Edward", "Edwin", "Ethan", "Gareth", "Geoffrey",
        "Gordon", "Graham", "Gregory", "Harold", "Henry", "Howard", "Ian", "Jeremy", "Jonathan", "Joseph", "Keith", "Kenneth",
        "Laurence", "Malcolm", "Martin", "Matthew", "Nathan", "Nicholas", "Oliver", "Patrick", "Raymond", "Roger", "Simon",
        "Stephen", "Timothy", "Trevor",
    ],
    stems: &[
        "Alder", "Ash", "Bram", "Brook", "Carl", "Clif", "Cran", "Dal", "Dun", "East", "Elm", "Fair", "Fen", "Gar", "Green",
        "Hart", "Hather", "Hol", "Ingle", "Jes", "Kirk", "Lang", "Lin", "Mal", "Mar", "Nether", "Oak", "Pen", "Quarn", "Rad",
        "Rock", "Sher", "Stan", "Thorn", "Under", "Ven", "Wake", "West", "Whit", "Wool", "Xan", "Yar", "Zel",
    ],
    ends: &[
        "bourne", "bridge", "burn", "by", "combe", "cott", "croft", "dale", "field", "ford", "ham", "hurst", "land", "ley",
        "more", "shaw", "stead", "ton", "well", "wick", "wood", "worth",
    ],
    letters: "",
    endings: &["son", "field", "worth", "ford", "smith"],
    particles: &["mac"],
    domains: &["uk", "us", "au", "ie", "nz"],
};

#[rustfmt::skip]
pub(super) const GERMAN: NameLanguage = NameLanguage {
    women: &[
        "Agnes", "Annegret", "Anneliese", "Antje", "Barbara", "Birgit", "Brigitte", "Carola", "Christa", "Cornelia", "Dagmar",
        "Dorothea", "Edith", "Elfriede", "Elke", "Erika", "Franziska", "Frauke", "Friederike", "Gerda", "Gertrud", "Gisela",
        "Greta", "Gudrun", "Hannelore", "Heike", "Helga", "Henriette", "Hildegard", "Ilse", "Ingeborg", "Ingrid", "Irmgard",
        "Jutta", "Karin", "Katharina", "Leonie", "Lieselotte", "Mareike", "Margarete", "Monika", "Petra", "Renate",
        "Sabine", "Sieglinde", "Susanne", "Svenja", "Ulrike", "Ursula", "Waltraud", "Wiebke",
    ],
    men: &[
        "Achim", "Albrecht", "Alfred", "Andreas", "Armin", "Arndt", "Bernd", "Bernhard", "Burkhard", "Carsten", "Detlef",
        "Dieter", "Dietmar", "Eberhard", "Eckhard", "Egon", "Erich", "Florian", "Friedrich", "Georg", "Gerhard", "Gottfried",
        "Gregor", "Hannes", "Harald", "Hartmut", "Heiko", "Heinrich", "Helmut", "Herbert", "Holger", "Horst", "Ingo",
        "Joachim", "Jochen", "Juergen", "Karsten", "Klaus", "Konrad", "Lothar", "Ludwig", "Manfred", "Matthias", "Norbert",
        "Olaf", "Ortwin", "Rainer", "Reinhard", "Rudolf", "Siegfried", "Thorsten", "Ulrich", "Volker", "Werner", "Wolfgang",
    ],
    stems: &[
        "Achen", "Birken", "Brand", "Breiten", "Buchen", "Dorn", "Eich", "Ellen", "Erlen", "Falken", "Fichten", "Grau",
        "Greifen", "Hagen", "Hasel", "Hirsch", "Hohen", "Kalten", "Kron", "Langen", "Linden", "Mohr", "Neuen", "Ober",
        "Reichen", "Rosen", "Rott", "Schwarzen", "Steinen", "Tannen", "Unter", "Wald", "Weiden", "Wieden", "Wolfen",
    ],
    ends: &[
        "acker", "auer", "bacher", "becker", "berger", "brink", "dorfer", "eder", "felder", "hauser", "hofer", "horst",
        "huber", "kamp", "lechner", "maier", "mann", "rieder", "siek", "steiner", "thaler", "wieser",
    ],
    letters: "äöüß",
    endings: &["mann", "berger", "schmidt", "meier", "meyer", "maier", "bauer", "huber", "hofer", "stein", "bach", "feld", "wald"],
    particles: &["von", "zu", "vom", "zum", "zur", "herr", "frau"],
    domains: &["de", "at", "ch"],
};

#[rustfmt::skip]
pub(super) const FRENCH: NameLanguage = NameLanguage {
    women: &[
        "Adeline", "Agathe", "Alexandrine", "Amandine", "Annick", "Apolline", "Armelle", "Audrey", "Aurore", "Bernadette",
        "Blandine", "Camille", "Capucine", "Caroline", "Christelle", "Clarisse", "Claudine", "Clotilde", "Corinne", "Delphine",
        "Dominique", "Elodie", "Emeline", "Estelle", "Eugenie", "Fabienne", "Florence", "Gabrielle", "Ghislaine", "Henriette",
        "Isabelle", "Jacqueline", "Josiane", "Juliette", "Laetitia", "Laurence", "Lucille", "Madeleine", "Margaux", "Mathilde",
        "Monique", "Mireille", "Nathalie", "Odile", "Pauline", "Sandrine", "Solange", "Sylvie", "Therese", "Valentine",
        "Veronique", "Yvette",
    ],
    men: &[
        "Adrien", "Alain", "Antoine", "Armand", "Arnaud", "Aurelien", "Baptiste", "Bastien", "Bertrand", "Christophe",
        "Damien", "Didier", "Edmond", "Emile", "Etienne", "Fabien", "Fabrice", "Ferdinand", "Florent", "Gaspard", "Gaston",
        "Gauthier", "Gilbert", "Gilles", "Guillaume", "Hippolyte", "Jacques", "Jerome", "Joachim", "Laurent", "Lionel",
        "Ludovic", "Marcel", "Mathieu", "Maurice", "Maxence", "Michel", "Olivier", "Pascal", "Philippe", "Quentin", "Raoul",
        "Romain", "Sebastien", "Stephane", "Sylvain", "Thibault", "Thierry", "Tristan", "Valentin", "Xavier", "Yannick",
    ],
    stems: &[
        "Aub", "Bal", "Barr", "Beauv", "Bell", "Bod", "Brun", "Cast", "Chab", "Chal", "Charl", "Clav", "Corb", "Cour", "Dal",
        "Dur", "Fab", "Font", "Gail", "Gar", "Grim", "Hub", "Jol", "Lab", "Lamb", "Mal", "Mar", "Mir", "Mont", "Naud",
        "Pell", "Rav", "Rob", "Sav", "Val",
    ],
    ends: &[
        "ardet", "audier", "aumont", "auvert", "ebois", "elier", "ellon", "enault", "ereau", "erival", "ermont", "esson",
        "ignac", "igneux", "illard", "illot", "imbert", "oisier", "ollet", "onnier", "ouvel", "urier",
    ],
    letters: "çèêàâîœûëï",
    endings: &["eau", "ault", "oux", "ette", "ier", "elle", "ard"],
    particles: &["du", "le", "des", "mme", "mlle", "monsieur", "madame"],
    domains: &["fr", "be", "lu"],
};

#[rustfmt::skip]
pub(super) const SPANISH: NameLanguage = NameLanguage {
    women: &[
        "Adela", "Adriana", "Agustina", "Alejandra", "Alicia", "Almudena", "Amparo", "Araceli", "Beatriz", "Belinda",
        "Camila", "Carmela", "Carolina", "Catalina", "Cecilia", "Claudia", "Consuelo", "Daniela", "Dolores", "Elena", "Elvira",
        "Esperanza", "Estefania", "Eugenia", "Felisa", "Fernanda", "Florencia", "Gabriela", "Graciela", "Guadalupe", "Inmaculada",
        "Isabel", "Jimena", "Josefina", "Juana", "Leticia", "Lorena", "Lourdes", "Luciana", "Macarena", "Magdalena",
        "Manuela", "Marisol", "Matilde", "Mercedes", "Natalia", "Olga", "Paloma", "Ramona", "Rosalia", "Soledad", "Valeria",
        "Ximena", "Yolanda",
    ],
    men: &[
        "Adolfo", "Agustin", "Alberto", "Alejandro", "Alfonso", "Alfredo", "Alonso", "Alvaro", "Andres", "Anselmo", "Arturo",
        "Benito", "Bernardo", "Bruno", "Camilo", "Carlos", "Claudio", "Diego", "Domingo", "Eduardo", "Emilio", "Enrique",
        "Ernesto", "Esteban", "Eugenio", "Federico", "Felipe", "Fernando", "Gerardo", "Gonzalo", "Guillermo", "Gustavo",
        "Hector", "Ignacio", "Jaime", "Javier", "Joaquin", "Jorge", "Leandro", "Lorenzo", "Manuel", "Marcelo", "Mauricio",
        "Nicolas", "Octavio", "Pablo", "Rafael", "Ramiro", "Ricardo", "Rodrigo", "Salvador", "Santiago", "Vicente",
    ],
    stems: &[
        "Alb", "Alcan", "Alm", "Ara", "Arr", "Bal", "Barr", "Bel", "Cal", "Camp", "Card", "Carr", "Cast", "Cerv", "Cor",
        "Del", "Esc", "Esp", "Gal", "Garr", "Guer", "Lar", "Mal", "Mar", "Med", "Mont", "Nav", "Pal", "Per", "Quint", "Rob",
        "Sal", "Sar", "Val", "Ver",
    ],
    ends: &[
        "adilla", "agrera", "alosa", "amendi", "andilla", "anegra", "aredo", "arosa", "edilla", "eguera", "enales", "endero",
        "enilla", "eredo", "erosa", "igueda", "inares", "iondo", "olanda", "olledo", "ondilla", "uesta",
    ],
    letters: "ñáíú",
    endings: &["ez", "illa", "illo", "osa", "era", "eros"],
    particles: &["los", "las", "el", "señor", "señora", "sra"],
    domains: &["es", "mx", "ar", "co", "cl", "pe"],
};

#[rustfmt::skip]
pub(super) const ITALIAN: NameLanguage = NameLanguage {
    women: &[
        "Adelina", "Agnese", "Alessandra", "Alessia", "Antonella", "Arianna", "Assunta", "Benedetta", "Bianca", "Carlotta",
        "Caterina", "Chiara", "Cinzia", "Concetta", "Costanza", "Daniela", "Domenica", "Donatella", "Elisabetta", "Emanuela",
        "Federica", "Fiorella", "Francesca", "Gabriella", "Ginevra", "Giorgia", "Giovanna", "Giuliana", "Giuseppina", "Grazia",
        "Graziella", "Ilaria", "Isabella", "Letizia", "Loredana", "Lucrezia", "Maddalena", "Marcella", "Mariangela", "Marina",
        "Martina", "Michela", "Mirella", "Nicoletta", "Ornella", "Paola", "Patrizia", "Raffaella", "Roberta", "Rosalba",
        "Serena", "Silvia", "Simona", "Tiziana", "Valentina", "Viviana",
    ],
    men: &[
        "Achille", "Alessandro", "Alessio", "Amedeo", "Antonio", "Attilio", "Augusto", "Bartolomeo", "Battista", "Beniamino",
        "Calogero", "Carmelo", "Cesare", "Corrado", "Cosimo", "Damiano", "Davide", "Domenico", "Donato", "Elia", "Emanuele",
        "Enzo", "Ettore", "Fabio", "Fabrizio", "Filippo", "Francesco", "Gennaro", "Giacomo", "Gianluca", "Giorgio", "Giovanni",
        "Giuliano", "Giuseppe", "Graziano", "Guglielmo", "Ivano", "Lamberto", "Leonardo", "Luciano", "Luigi", "Massimo",
        "Mattia", "Michele", "Orazio", "Osvaldo", "Paolo", "Pasquale", "Pietro", "Raffaele", "Renato", "Riccardo",
        "Roberto", "Salvatore", "Silvio", "Stefano", "Tommaso", "Umberto", "Vincenzo", "Vittorio",
    ],
    stems: &[
        "Alb", "Amat", "Bald", "Barb", "Bass", "Bell", "Bon", "Bran", "Cam", "Canal", "Capp", "Carl", "Cav", "Cerr", "Cor",
        "Dall", "Don", "Fal", "Fer", "Fior", "Gall", "Garl", "Grim", "Lamb", "Lup", "Mal", "Marc", "Mas", "Mont", "Nard",
        "Pall", "Ram", "Salv", "Tomm", "Vall",
    ],
    ends: &[
        "andini", "anelli", "antoni", "aretti", "arini", "asco", "atelli", "azzini", "edolin", "egrini", "enghi", "eroni",
        "esini", "icelli", "igliani", "inelli", "inoni", "iroli", "olani", "olesi", "ondini", "ucchi",
    ],
    letters: "ìò",
    endings: &["ini", "elli", "etti", "ucci", "acci", "oni", "aldi"],
    particles: &["di", "della", "dal"],
    domains: &["it"],
};

#[rustfmt::skip]
pub(super) const PORTUGUESE: NameLanguage = NameLanguage {
    women: &[
        "Adelaide", "Aline", "Amelia", "Bruna", "Carla", "Cristiana", "Deolinda", "Denise", "Edite", "Eduarda", "Elisa",
        "Emilia", "Ermelinda", "Fabiana", "Filipa", "Filomena", "Gilda", "Graciete", "Helena", "Ines", "Iolanda", "Isaura",
        "Ivone", "Joana", "Juliana", "Leonor", "Lidia", "Luciene", "Luiza", "Mafalda", "Marcia", "Mariana", "Marlene",
        "Micaela", "Natercia", "Noemia", "Odete", "Olivia", "Patricia", "Priscila", "Raquel", "Renata", "Rosangela", "Sandra",
        "Sofia", "Tatiana", "Teodora", "Vitoria", "Zulmira",
    ],
    men: &[
        "Abilio", "Ademar", "Adriano", "Afonso", "Alcides", "Alexandre", "Amaro", "Americo", "Anibal", "Armando", "Artur",
        "Belmiro", "Caio", "Danilo", "Davi", "Dinis", "Duarte", "Edgar", "Evandro", "Fausto", "Flavio", "Francisco",
        "Gaspar", "Gilberto", "Heitor", "Henrique", "Horacio", "Ivo", "Jacinto", "Joaquim", "Jordao", "Leonel", "Luciano",
        "Marcio", "Mario", "Mateus", "Murilo", "Nelson", "Nuno", "Osvaldo", "Otavio", "Paulo", "Raimundo", "Renan", "Rogerio",
        "Sergio", "Tadeu", "Tiago", "Ulisses", "Valdemar", "Vasco", "Vitor", "Wagner",
    ],
    stems: &[
        "Abr", "Alb", "Alm", "Alv", "Amor", "And", "Ara", "Arr", "Azev", "Bar", "Bet", "Brag", "Cabr", "Camb", "Card", "Carv",
        "Cast", "Cord", "Cout", "Fig", "Fons", "Gal", "Gouv", "Lac", "Lam", "Madr", "Mal", "Mor", "Nog", "Pal", "Per", "Quint",
        "Sal", "Tav", "Vil",
    ],
    ends: &[
        "adeira", "alhais", "anheira", "areiro", "avedra", "edeiro", "egueiro", "eirada", "elheira", "endeira", "enho", "ereira",
        "idalgo", "igueira", "inhais", "inheiro", "oleiro", "omeira", "ondeira", "oseira", "ugueiro", "uleira",
    ],
    letters: "ãõ",
    endings: &["eira", "eiro", "eiros", "inho"],
    particles: &["da", "do", "dos", "das"],
    domains: &["pt", "br"],
};

#[rustfmt::skip]
pub(super) const DUTCH: NameLanguage = NameLanguage {
    women: &[
        "Aaltje", "Anneke", "Annemarie", "Anouk", "Antoinette", "Betje", "Carlijn", "Cornelie", "Dieuwke", "Elsbeth", "Femke",
        "Fenna", "Fleur", "Froukje", "Geertje", "Geertruida", "Gerda", "Grietje", "Hanneke", "Hendrika", "Hilde", "Ineke",
        "Jacoba", "Janneke", "Jantje", "Jolanda", "Joke", "Judith", "Karlijn", "Lieke", "Lotte", "Maaike", "Marieke", "Marijke",
        "Marloes", "Mieke", "Neeltje", "Nienke", "Petronella", "Rianne", "Roelien", "Saskia", "Sietske", "Sjoukje", "Trijntje",
        "Wilhelmina", "Willemijn", "Yvonne",
    ],
    men: &[
        "Adriaan", "Arjen", "Barend", "Bartholomeus", "Bouke", "Casper", "Cornelis", "Diederik", "Dirk", "Egbert", "Evert",
        "Floris", "Folkert", "Gerrit", "Gijsbert", "Harmen", "Hendrik", "Henk", "Herman", "Hidde", "Huub", "Jaap", "Jelle",
        "Jeroen", "Joost", "Jurriaan", "Kees", "Koen", "Lambert", "Leendert", "Lodewijk", "Maarten", "Marnix", "Matthijs",
        "Menno", "Michiel", "Nico", "Pieter", "Reinier", "Remco", "Roelof", "Ruben", "Sander", "Siebe", "Sjoerd", "Teunis",
        "Thijs", "Tjeerd", "Wiebe", "Willem", "Wouter",
    ],
    stems: &[
        "Aker", "Berken", "Blok", "Boom", "Bosch", "Breed", "Broek", "Does", "Drie", "Eiken", "Elzen", "Geest", "Goud", "Groen",
        "Haver", "Heem", "Hoog", "Kamer", "Kerk", "Klaver", "Kool", "Lange", "Linden", "Meer", "Molen", "Nieuwen", "Olden",
        "Oost", "Popel", "Ruiten", "Schoon", "Steen", "Veen", "Wester", "Zand",
    ],
    ends: &[
        "akker", "beek", "berg", "boer", "boom", "broek", "burg", "daal", "dijk", "donk", "haag", "hof", "horst", "huis",
        "kamp", "laar", "man", "meer", "stra", "veld", "voort", "zicht",
    ],
    letters: "ĳ",
    endings: &["stra", "sma", "huis", "beek", "dijk", "kamp"],
    particles: &["van", "ten", "ter"],
    domains: &["nl"],
};

#[rustfmt::skip]
pub(super) const POLISH: NameLanguage = NameLanguage {
    women: &[
        "Agnieszka", "Alicja", "Aneta", "Beata", "Bogumila", "Boleslawa", "Celina", "Cecylia", "Danuta", "Dorota", "Elwira",
        "Elzbieta", "Ewelina", "Feliksa", "Gabriela", "Genowefa", "Grazyna", "Halina", "Hanna", "Honorata", "Irena", "Izabela",
        "Jadwiga", "Janina", "Joanna", "Jolanta", "Justyna", "Kamila", "Karolina", "Kinga", "Krystyna", "Lucyna",
        "Magdalena", "Marzena", "Mariola", "Monika", "Natalia", "Otylia", "Patrycja", "Paulina", "Regina", "Renata", "Stefania",
        "Sylwia", "Teresa", "Urszula", "Wanda", "Weronika", "Wieslawa", "Zofia", "Zuzanna",
    ],
    men: &[
        "Adam", "Arkadiusz", "Artur", "Bartosz", "Bogdan", "Boguslaw", "Bronislaw", "Cezary", "Czeslaw", "Damian", "Dariusz",
        "Dominik", "Edward", "Eryk", "Eugeniusz", "Filip", "Franciszek", "Fryderyk", "Grzegorz", "Henryk", "Hubert",
        "Ireneusz", "Jacek", "Jakub", "Janusz", "Jaroslaw", "Jerzy", "Julian", "Kacper", "Karol", "Kazimierz", "Konrad",
        "Krzysztof", "Leszek", "Lucjan", "Maciej", "Marcin", "Marek", "Mariusz", "Mateusz", "Miroslaw", "Norbert", "Patryk",
        "Przemyslaw", "Radoslaw", "Ryszard", "Sebastian", "Slawomir", "Stanislaw", "Szymon", "Tadeusz", "Tomasz", "Waldemar",
        "Wieslaw", "Witold", "Wojciech", "Zbigniew", "Zygmunt",
    ],
    stems: &[
        "Bal", "Barc", "Biel", "Bor", "Brod", "Bud", "Chmiel", "Ciel", "Dab", "Dob", "Drozd", "Gaj", "Glow", "Gor", "Grab",
        "Jabl", "Jas", "Kal", "Kamin", "Kop", "Kras", "Lip", "Mal", "Mat", "Mroz", "Now", "Olch", "Ost", "Pol", "Rad", "Sob",
        "Tar", "Wit", "Zal", "Zar",
    ],
    ends: &[
        "aczyk", "ajda", "alewicz", "alik", "anek", "aniak", "arczyk", "asiak", "awiec", "ecki", "eniuk", "erczak", "ewiak",
        "inczyk", "iniak", "oniak", "orczuk", "orek", "osiak", "owicz", "uszak", "yniak",
    ],
    letters: "łżśćńąęź",
    endings: &["ski", "ska", "cki", "cka", "czyk", "wicz", "iak", "czak"],
    particles: &["pan", "pani"],
    domains: &["pl"],
};

/// The most common first names, in lower case, which are never used as surrogates: they only show
/// the sex.
#[rustfmt::skip]
pub(super) const WOMEN: [&str; 59] = [
    "alice", "ann", "anne", "astrid", "britt", "carmen", "charlotte", "chloe", "claire", "doris", "edda", "ellen", "emma", "esther",
    "grace", "hélène", "inès", "inés", "ingrid", "irene", "jane", "joan", "joy", "julie", "karen", "kate", "katrin",
    "kirsten", "léa", "lilian", "linda", "lisbeth", "maren", "marie", "marion", "martha", "mary", "maud", "michelle", "miriam",
    "nadine", "nancy", "paige", "pilar", "rocío", "ruth", "sigrid", "simone", "silke", "sylvia", "tess", "trixi", "uschi",
    "virginie", "vivien", "wendy", "yasmin", "zoe", "zoé",
];
#[rustfmt::skip]
pub(super) const MEN: [&str; 60] = [
    "ahmed", "alex", "ali", "andrea", "andré", "andrzej", "ben", "bill", "charles", "chris", "david", "eric", "fernão", "frank",
    "françois", "george", "hans", "jack", "jakob", "james", "jan", "jens", "joão", "john", "jonas", "josé", "joshua", "juan",
    "julien", "jürgen", "kevin", "leon", "linus", "luca", "lucas", "luis", "luke", "marc", "marco", "mark", "max", "michael",
    "mohammed", "noah", "paul", "peter", "philip", "piotr", "ralf", "richard", "robert", "ryan", "sam", "stefan", "sven", "thomas",
    "tom", "uwe", "will", "william",
];
