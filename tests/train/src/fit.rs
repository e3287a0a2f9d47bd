//! Fits the weights of a linear model: the same bytes everywhere, as it uses nothing but `+ - * /` and square roots.

use crate::generate::Random;

/// As many places as weights, as a power of two.
pub const BITS: u32 = 15;

/// A candidate as the model sees it.
#[derive(Debug, Clone)]
pub struct Sample {
    /// The places of its features.
    pub places: Vec<u32>,
    /// Whether it is a secret.
    pub is_secret: bool,
    /// How much it counts.
    pub weight: f32,
}

/// What is fitted.
#[derive(Debug, Clone)]
pub struct Weights {
    /// Added to every sum.
    pub bias: f64,
    /// One for each place.
    pub places: Vec<f64>,
}

impl Weights {
    fn zero() -> Self {
        Self {
            bias: 0.0,
            places: vec![0.0; 1 << BITS],
        }
    }

    /// How far a sample is from the border.
    #[must_use]
    pub fn margin(&self, places: &[u32]) -> f64 {
        self.bias
            + places
                .iter()
                .map(|&place| self.places[place as usize])
                .sum::<f64>()
    }
}

impl Weights {
    /// The weights as the engine reads them: the bias in two bytes, little-endian, then a byte each.
    #[must_use]
    #[expect(clippy::cast_possible_truncation, reason = "they are clamped")]
    pub fn quantised(&self, scale: f64) -> Vec<u8> {
        let rounded = |weight: f64, most: f64| (weight * scale).round().clamp(-most, most);
        let bias = rounded(self.bias, f64::from(i16::MAX)) as i16;
        let places = self
            .places
            .iter()
            .map(|weight| (rounded(*weight, 127.0) as i8).cast_unsigned());
        bias.to_le_bytes().into_iter().chain(places).collect()
    }
}

/// How the fit is made.
#[derive(Debug, Clone, Copy)]
pub struct Options {
    /// Passes over the samples.
    pub epochs: usize,
    /// Orders of the samples that are fitted apart; the weights are their mean.
    pub orders: u64,
    /// Step of the first change.
    pub rate: f64,
    /// How strongly weights are pulled to zero.
    pub decay: f64,
}

/// The mean of the fits of several orders, because a single order decides much by chance.
#[must_use]
pub fn fit(samples: &[&Sample], options: Options) -> Weights {
    let fits = (1..=options.orders).map(|seed| fit_in_order(samples, options, seed));
    mean(fits)
}

/// Fits by `AdaGrad` on the squared hinge loss; the mean of the last half of the passes.
fn fit_in_order(samples: &[&Sample], options: Options, seed: u64) -> Weights {
    let mut weights = Weights::zero();
    let mut squares = vec![1e-6; weights.places.len()];
    let mut bias_square = 1e-6;
    let mut order: Vec<usize> = (0..samples.len()).collect();
    let mut random = Random::of(seed, "order");
    let passes = (0..options.epochs).map(|_| {
        for index in (1..order.len()).rev() {
            order.swap(index, random.below(index + 1));
        }
        for &index in &order {
            let sample = samples[index];
            let sign = if sample.is_secret { 1.0 } else { -1.0 };
            let short = 1.0 - sign * weights.margin(&sample.places);
            if short <= 0.0 {
                continue;
            }
            let gradient = -sign * short * f64::from(sample.weight);
            let step = |weight: &mut f64, square: &mut f64, decay: f64| {
                let gradient = gradient + decay * *weight;
                *square += gradient * gradient;
                *weight -= options.rate * gradient / square.sqrt();
            };
            for &place in &sample.places {
                let place = place as usize;
                step(
                    &mut weights.places[place],
                    &mut squares[place],
                    options.decay,
                );
            }
            step(&mut weights.bias, &mut bias_square, 0.0);
        }
        weights.clone()
    });
    mean(passes.skip(options.epochs / 2))
}

fn mean(all: impl Iterator<Item = Weights>) -> Weights {
    let mut mean = Weights::zero();
    let mut count = 0.0;
    for weights in all {
        count += 1.0;
        mean.bias += weights.bias;
        for (mean, weight) in mean.places.iter_mut().zip(&weights.places) {
            *mean += weight;
        }
    }
    mean.bias /= count;
    mean.places.iter_mut().for_each(|mean| *mean /= count);
    mean
}
