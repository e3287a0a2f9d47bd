//! How far vendor rules were tried.

/// The latest attempts of rules, so that none is repeated. Four rules share one set.
#[derive(Debug, Default)]
pub(in crate::detect) struct Attempts([[Attempted; SHARING]; SETS]);

const SETS: usize = 8;
const SHARING: usize = 4;

#[derive(Debug, Default)]
struct Attempted {
    rule: u16,
    /// No match begins before this place, other than those that were found.
    tried: usize,
}

impl Attempts {
    /// Up to where matches of a rule were searched for; nowhere if other rules took its slot.
    pub(in crate::detect) fn of(&mut self, rule: u16) -> &mut usize {
        let set = &mut self.0[usize::from(rule) % SETS];
        let own = set.iter().position(|attempted| attempted.rule == rule);
        let index = own.unwrap_or_else(|| {
            let oldest = (0..SHARING).min_by_key(|&index| set[index].tried);
            let index = oldest.unwrap_or_default();
            set[index] = Attempted { rule, tried: 0 };
            index
        });
        &mut set[index].tried
    }
}
