//! Fits the weights of the tagger: the same bytes everywhere, as it uses nothing but `+ - * /` and square roots.

use super::{Random, Text};
use engine::detect::names::features::{Features, PLACES};
use engine::detect::names::lists::Lists;
use engine::detect::names::walk::{Tag, walk};

/// Tags that a word can have.
const TAGS: usize = Tag::ALL.len();
const RATE: f32 = 0.08;
/// Features of a hundred that a word is learned without, drawn anew each time: none may carry the answer alone, as other
/// texts have other words.
const DROPPED: usize = 40;
/// Texts that have a feature that is learned at least: others would only blur the weights of those that share their places.
const LEAST: u8 = 3;

/// What is fitted: a weight for each place and tag.
#[derive(Debug, Clone)]
pub struct Weights(pub Vec<[f32; TAGS]>);

impl Weights {
    /// What speaks for each tag.
    #[must_use]
    pub fn scores(&self, features: &Features) -> [f32; TAGS] {
        let mut scores = [0.0; TAGS];
        for place in features.places() {
            for (score, weight) in scores.iter_mut().zip(self.0[place]) {
                *score += weight;
            }
        }
        scores
    }
}

/// Fits by `AdaGrad` on the hinge loss of several classes: the mean of several seeded orders of the texts, because one
/// alone decides too much of what rare features weigh.
#[must_use]
pub fn fit(texts: &[&Text], lists: Lists<'_>, epochs: usize, orders: u64) -> Weights {
    let mut mean = Weights(vec![[0.0; TAGS]; PLACES]);
    let mut added = 0.0;
    let usual = Usual::of(texts, lists);
    for order in 0..orders {
        added += add_fit(texts, lists, epochs, order, &usual, &mut mean);
    }
    mean.0.iter_mut().flatten().for_each(|mean| *mean /= added);
    mean
}

/// Adds the weights after each of the last passes in one order, and returns how many passes it added.
fn add_fit(
    texts: &[&Text],
    lists: Lists<'_>,
    epochs: usize,
    order: u64,
    usual: &Usual,
    sum: &mut Weights,
) -> f32 {
    let mut added = 0.0;
    let mut weights = Weights(vec![[0.0; TAGS]; PLACES]);
    let mut squares = vec![[1e-3_f32; TAGS]; PLACES];
    let mut random = Random::of(order + 1, "order of names");
    let mut order: Vec<usize> = (0..texts.len()).collect();
    for epoch in 0..epochs {
        for index in (1..order.len()).rev() {
            order.swap(index, random.below(index + 1));
        }
        for &index in &order {
            let text = texts[index];
            walk(&text.text, None, lists, &mut |token, features| {
                let scores = weights.scores(features);
                let Some(right) = text.tag_at(token.start, token.end) else {
                    return best(scores);
                };
                let kept = features.some(&mut |hash| usual.has(hash) && !random.chance(DROPPED));
                learn(
                    &mut weights,
                    &mut squares,
                    &kept,
                    right as usize,
                    text.weight,
                );
                if epoch == 0 || random.chance(20) {
                    right
                } else {
                    best(scores)
                }
            });
        }
        if epoch * 2 >= epochs {
            added += 1.0;
            for (sum, weight) in sum.0.iter_mut().flatten().zip(weights.0.iter().flatten()) {
                *sum += weight;
            }
        }
    }
    added
}

/// The features that enough texts have.
struct Usual(Vec<u8>);

impl Usual {
    /// Bits of a hash by which features are told apart here.
    const BITS: u32 = 25;

    fn of(texts: &[&Text], lists: Lists<'_>) -> Self {
        let mut counts = vec![0u8; 1 << Self::BITS];
        let mut last = vec![usize::MAX; 1 << Self::BITS];
        for (index, text) in texts.iter().enumerate() {
            walk(&text.text, None, lists, &mut |token, features| {
                for at in features.hashes().iter().map(|hash| Self::place(*hash)) {
                    if last[at] != index {
                        last[at] = index;
                        counts[at] = counts[at].saturating_add(1);
                    }
                }
                text.tag_at(token.start, token.end).unwrap_or_default()
            });
        }
        Self(counts)
    }

    fn has(&self, hash: u32) -> bool {
        self.0[Self::place(hash)] >= LEAST
    }

    const fn place(hash: u32) -> usize {
        (hash >> (u32::BITS - Self::BITS)) as usize
    }
}

/// The tag that most speaks for.
#[must_use]
pub fn best(scores: [f32; TAGS]) -> Tag {
    let mut best = Tag::Other;
    for tag in Tag::ALL {
        if scores[tag as usize] > scores[best as usize] {
            best = tag;
        }
    }
    best
}

fn learn(
    weights: &mut Weights,
    squares: &mut [[f32; TAGS]],
    features: &Features,
    right: usize,
    weight: f32,
) {
    let scores = weights.scores(features);
    let rival = (0..TAGS)
        .filter(|tag| *tag != right)
        .fold(usize::from(right == 0), |best, tag| {
            if scores[tag] > scores[best] {
                tag
            } else {
                best
            }
        });
    let short = 1.0 - (scores[right] - scores[rival]);
    if short <= 0.0 {
        return;
    }
    let gradient = weight * short.min(2.0);
    for place in features.places() {
        for (tag, sign) in [(right, 1.0), (rival, -1.0)] {
            let square = &mut squares[place][tag];
            *square += gradient * gradient;
            weights.0[place][tag] += sign * RATE * gradient / square.sqrt();
        }
    }
}
