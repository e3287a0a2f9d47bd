//! What a session issues and adopts.

use super::*;

fn mapping(entity: EntityType, id: &str, value: &str) -> Arc<Mapping> {
    Arc::new(Mapping::new(entity, id, Sensitive::new(value.to_owned())))
}

#[test]
fn all_types_share_one_counter_and_values_keep_tokens() {
    let (mut session, operator) = (Session::new(), Operator::default());
    let cores: Vec<_> = [
        (EntityType::EMAIL, "a"),
        (EntityType::PHONE, "b"),
        (EntityType::SECRET, "a"),
    ]
    .iter()
    .map(|(entity, value)| {
        session
            .issue(entity, value, Origin::User, &operator)
            .core()
            .to_owned()
    })
    .collect();
    assert_eq!(cores, ["MASK_EMAIL_1", "MASK_PHONE_2", "MASK_EMAIL_1"]);
}

#[test]
fn adopted_numbers_are_skipped_and_conflicts_refused() {
    let (mut session, operator) = (Session::new(), Operator::default());
    assert!(session.adopt(mapping(EntityType::EMAIL, "2", "bob")));
    assert!(session.adopt(mapping(EntityType::EMAIL, "2", "bob")));
    assert!(!session.adopt(mapping(EntityType::EMAIL, "2", "eve")));
    let core = |session: &mut Session, value| {
        session
            .issue(&EntityType::EMAIL, value, Origin::User, &operator)
            .core()
            .to_owned()
    };
    assert_eq!(core(&mut session, "alice"), "MASK_EMAIL_1");
    assert_eq!(core(&mut session, "carol"), "MASK_EMAIL_3");
}

/// A value had one token of its thread and another of its assistant, and the second stayed.
#[test]
fn a_value_keeps_its_first_token_and_both_are_restored() {
    let (mut session, operator) = (Session::new(), Operator::default());
    assert!(session.adopt(mapping(EntityType::EMAIL, "2", "bob")));
    assert!(session.adopt(mapping(EntityType::EMAIL, "1000007", "bob")));
    assert!(!session.adopt(mapping(EntityType::EMAIL, "1000007", "eve")));
    let given = session.issue(&EntityType::EMAIL, "bob", Origin::User, &operator);
    assert_eq!(given.core(), "MASK_EMAIL_2");
    for core in ["MASK_EMAIL_2", "MASK_EMAIL_1000007"] {
        let found = session.by_core(core).unwrap();
        assert_eq!(found.value().expose(), "bob");
    }
    let mut anew = Session::new();
    for mapping in session.mappings() {
        assert!(anew.adopt(Arc::clone(mapping)), "out of a vault");
    }
    let given = anew.issue(&EntityType::EMAIL, "bob", Origin::User, &operator);
    assert_eq!(given.core(), "MASK_EMAIL_2");
}

#[test]
fn only_unambiguous_tokens_are_adopted_from_other_sessions() {
    let mut other = Session::new();
    assert!(other.adopt(mapping(EntityType::EMAIL, "1", "eve")));
    assert!(other.adopt(mapping(EntityType::EMAIL, "1000001", "alice")));
    assert!(other.adopt(mapping(EntityType::EMAIL, "1000002", "carol")));
    let mut session = Session::new();
    assert!(session.adopt(mapping(EntityType::EMAIL, "1000002", "bob")));
    session.adopt_derived(&other);
    let value = |session: &Session, core| {
        let found = session.by_core(core);
        found.map(|mapping| mapping.value().expose().clone())
    };
    assert_eq!(value(&session, "MASK_EMAIL_1"), None);
    assert_eq!(value(&session, "MASK_EMAIL_1000001").unwrap(), "alice");
    assert_eq!(value(&session, "MASK_EMAIL_1000002").unwrap(), "bob");
    let mut own = Session::new();
    own.adopt_shared(&other, &session);
    assert_eq!(value(&own, "MASK_EMAIL_1000001").unwrap(), "alice");
    assert_eq!(value(&own, "MASK_EMAIL_1000002"), None);
}

#[test]
fn mappings_are_adopted_all_or_none() {
    let mut session = Session::new();
    assert!(session.adopt(mapping(EntityType::EMAIL, "1", "bob")));
    let conflicting = [
        mapping(EntityType::EMAIL, "2", "eve"),
        mapping(EntityType::EMAIL, "1", "alice"),
    ];
    assert!(!session.adopt_all(&conflicting));
    assert_eq!(session.len(), 1);
    let fitting = [
        mapping(EntityType::EMAIL, "1", "bob"),
        mapping(EntityType::EMAIL, "2", "eve"),
    ];
    assert!(session.adopt_all(&fitting));
    assert_eq!(session.len(), 2);
}

#[test]
fn a_token_with_a_lost_value_is_not_reissued() {
    let (mut session, operator) = (Session::new(), Operator::default());
    session.reserve(&EntityType::EMAIL, "1");
    let counted = session.issue(&EntityType::EMAIL, "alice", Origin::User, &operator);
    assert_eq!(counted.id(), "2");
    assert!(!session.adopt(mapping(EntityType::EMAIL, "1", "eve")));

    let anchor = Some(Sensitive::new(b"secret".to_vec()));
    let operator = Operator::Pseudonym { anchor };
    let mut session = Session::new();
    session.reserve(&EntityType::EMAIL, "A398D49CE1980B36");
    let derived = session.issue(
        &EntityType::EMAIL,
        "alice@example.com",
        Origin::User,
        &operator,
    );
    assert_ne!(derived.id(), "A398D49CE1980B36");
    assert_eq!(derived.id().len(), 16);
}

fn derived(seed: u8) -> Session {
    Session::derived(Sensitive::new([seed; 32]))
}

/// After a restart a conversation that the provider holds once got another value's token.
#[test]
fn a_recreated_derived_session_reissues_the_same_numbers() {
    let operator = Operator::default();
    let number = |session: &mut Session, value: &str| {
        let mapping = session.issue(&EntityType::EMAIL, value, Origin::User, &operator);
        mapping.id().parse::<u64>().unwrap()
    };
    let mut session = derived(1);
    let (alice, bob) = (number(&mut session, "alice"), number(&mut session, "bob"));
    let mut anew = derived(1);
    assert_eq!(number(&mut anew, "bob"), bob);
    assert_eq!(number(&mut anew, "alice"), alice);
    assert_ne!(number(&mut derived(2), "alice"), alice);
    assert!(session.is_derived() && !Session::new().is_derived());
    for number in [alice, bob] {
        assert!((100_000..100_000_000_000).contains(&number), "{number}");
    }
}

#[test]
fn a_taken_derived_number_is_not_reissued() {
    let operator = Operator::default();
    let id = |session: &mut Session| {
        let mapping = session.issue(&EntityType::EMAIL, "alice", Origin::User, &operator);
        mapping.id().to_owned()
    };
    let first = id(&mut derived(1));
    let mut other = derived(1);
    assert!(other.adopt(mapping(EntityType::EMAIL, &first, "eve")));
    assert_ne!(id(&mut other), first);
    let mut lost = derived(1);
    lost.reserve(&EntityType::EMAIL, &first);
    assert_ne!(id(&mut lost), first);
}

#[test]
fn a_session_is_adopted_completely_or_not_at_all() {
    let operator = Operator::default();
    let of = |values: &[&str]| {
        let mut session = Session::new();
        for value in values {
            session.issue(&EntityType::EMAIL, value, Origin::User, &operator);
        }
        session
    };
    let mut session = Session::new();
    assert!(session.adopt_session(&of(&["alice", "bob"])));
    assert_eq!(
        session
            .issue(&EntityType::EMAIL, "eve", Origin::User, &operator)
            .id(),
        "3"
    );
    assert!(session.adopt_session(&of(&["alice"])));
    assert!(!session.adopt_session(&of(&["alice", "carol"])));
    assert_eq!(session.len(), 3);
}

#[test]
fn an_anchor_derives_the_same_token_in_every_session() {
    let anchor = Some(Sensitive::new(b"secret".to_vec()));
    let operator = Operator::Pseudonym { anchor };
    let mut session = Session::new();
    let id = session
        .issue(
            &EntityType::EMAIL,
            "alice@example.com",
            Origin::User,
            &operator,
        )
        .id()
        .to_owned();
    assert_eq!(id, "A398D49CE1980B36");
    assert!(session.by_long_id(&id).is_some());
    assert!(session.begins_long_id("A398") && !session.begins_long_id("A399"));
    assert!(session.begins_core("MASK_EM") && !session.begins_core("MASK_PH"));
}

/// A change to a session of 100,000 values that a reply still used copied all of them.
#[test]
fn sharing_a_growing_session_does_not_change_it() {
    let operator = Operator::default();
    let value = |n: usize| format!("{:x}-Kx{n}", n.wrapping_mul(0x9e37_79b9));
    let (mut alone, mut shared) = (Session::new(), Session::new());
    let mut others = Vec::new();
    for n in 0..12_000 {
        for session in [&mut alone, &mut shared] {
            if n % 97 == 0 {
                session.reserve(&EntityType::PHONE, &(n + 40).to_string());
                assert!(session.adopt(mapping(
                    EntityType::EMAIL,
                    &(n + 50).to_string(),
                    &value(n)
                )));
            }
            session.issue(&EntityType::SECRET, &value(n), Origin::User, &operator);
            // A value that was given before keeps its token, whichever layer has it.
            session.issue(&EntityType::SECRET, &value(n / 2), Origin::User, &operator);
        }
        if n % 60 == 0 {
            shared.learn();
            others = vec![shared.clone()];
        }
    }
    drop(others);
    alone.learn();
    shared.learn();
    assert_eq!((alone.len(), alone.bytes()), (shared.len(), shared.bytes()));
    let all = |session: &Session| {
        let mappings = session.mappings();
        let known =
            mappings.map(|mapping| (mapping.core().to_owned(), mapping.value().expose().clone()));
        known.collect::<Vec<_>>()
    };
    assert_eq!(all(&alone), all(&shared));
    for (core, value) in all(&alone) {
        let found = shared.by_core(&core).unwrap();
        assert_eq!(*found.value().expose(), value);
        assert!(shared.begins_core(&core[..core.len() - 1]));
    }
    assert!(
        shared.by_core("MASK_PHONE_40").is_none()
            && !shared.adopt(mapping(EntityType::PHONE, "40", "x"))
    );
    let text = [3, 1023, 5000, 11_999].map(value).join(" and ");
    let found = |session: &Session| {
        let mut found = Vec::new();
        session.find_known(&text, &|_, _| true, &mut |detection, _| {
            found.push((detection.start, detection.end));
        });
        found
    };
    assert_eq!(found(&shared).len(), 4);
    assert_eq!(found(&alone), found(&shared));
    assert!((2..6).contains(&shared.0.layers().count()));
}

#[test]
fn decoded_values_count_towards_session_memory() {
    let bytes = |value: &str| {
        let mut session = Session::new();
        assert!(session.adopt(mapping(EntityType::EMAIL, "1", value)));
        let before = session.bytes();
        session.learn();
        session.bytes() - before
    };
    assert_eq!(bytes("p@ssw0rd-1"), 0);
    assert!(bytes("p%40ssw0rd-1") >= "p@ssw0rd-1".len());
    // The parts of private keys were not counted.
    let lines = (0..50).map(|n: u128| format!("{:x}", (n + 9).pow(20)));
    let lines = lines.collect::<Vec<_>>().join("\n");
    let mut session = Session::new();
    assert!(session.adopt(mapping(EntityType::PRIVATE_KEY, "1", &lines)));
    let before = session.bytes();
    session.learn();
    assert!(session.bytes() - before > 4 * lines.len());
}

/// Two layers may have one long id for two values: then it is neither's.
#[test]
fn a_long_id_shared_by_two_values_is_ambiguous() {
    let mut session = Session::new();
    let id = "A398D49CE1980B36";
    assert!(session.adopt(mapping(EntityType::EMAIL, id, "alice")));
    for n in 0..1100 {
        assert!(session.adopt(mapping(
            EntityType::SECRET,
            &n.to_string(),
            &format!("v{n}")
        )));
    }
    session.learn();
    let other = session.clone();
    assert!(session.adopt(mapping(EntityType::PHONE, id, "bob")));
    assert_eq!(session.0.layers().count(), 2);
    assert!(session.by_long_id(id).is_none() && other.by_long_id(id).is_some());
}
