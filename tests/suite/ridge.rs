use rootrate::learning::*;
use rootrate::spectrum::Spectrum;

#[test]
fn scratch() {
    let p = 1000;
    let eig: Vec<f64> = (1..=p).map(|k| (k as f64).powf(-0.8)).collect();
    let h = Spectrum::from_eigenvalues(&eig).unwrap();
    let l = Ridge::new(&h, p, &Signal::Power { exponent: 0.5, power: 1.0 }, 0.3).unwrap();
    let rhos: Vec<f64> = (0..1000).map(|i| 10f64.powf(-6.0 + 9.0 * f64::from(i) / 999.0)).collect();
    for n in [500.0, 1000.0, 1e4] {
        let t = std::time::Instant::now();
        let c = l.curve(n, &rhos).unwrap();
        let e = t.elapsed();
        let steps = c.iter().map(|x| x.steps).max();
        let mean = c.iter().map(|x| x.steps).sum::<usize>() as f64 / 1000.0;
        let rk = c.iter().map(|x| x.kappa.relative_radius()).fold(0.0, f64::max);
        let rr = c.iter().map(|x| x.risk.relative_radius()).fold(0.0, f64::max);
        println!("n={n} {e:?} steps max {steps:?} mean {mean} rad {rk:e} {rr:e}");
    }
    let t = std::time::Instant::now();
    println!("{:?} {:?}", l.optimal_ridge(500.0), t.elapsed());
    println!("{:?}", l.curve_point(1000.0, 1e-300));
}
