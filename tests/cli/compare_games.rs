//! `tetrastat compare --until-verdict`: the numbers of a verdict agree with those of the pair.

use serde_json::Value;

use crate::common::{folder, json};

#[test]
fn a_pair_has_the_corrected_ratio_of_its_verdict() {
    let line = "compare bcts lee --board 8x10 --max-pieces none --until-verdict";
    let found = json(folder().path(), line);
    assert_eq!(found["verdicts"].as_array().unwrap().len(), 1);
    let (pair, verdict) = (&found["pairs"][0], &found["verdicts"][0]);
    let greater = if verdict["first"] == "bcts" { "greater" } else { "smaller" };
    assert_eq!(
        (&found["stopped"], &verdict["verdict"]),
        (&"verdict".into(), &Value::from(greater)),
        "{found}"
    );
    let [corrected, low, high, observed] =
        ["corrected", "low", "high", "ratio"].map(|key| verdict[key].as_f64().unwrap());
    assert!(low > 1.0 || high < 1.0);
    // Play that stops at a verdict has no p-values and no intervals for a number of games fixed in
    // advance.
    for key in ["p", "p_adjusted", "test", "sign_p", "sign_flip", "log_rank"] {
        assert_eq!(pair[key], Value::Null, "{key} in {pair}");
    }
    assert_eq!(pair["difference"]["low"], Value::Null, "{pair}");
    let swapped = pair["first"] != verdict["first"];
    let expected = if swapped { 1.0 / corrected } else { corrected };
    assert!((pair["ratio"]["mean"].as_f64().unwrap() / expected - 1.0).abs() < 1e-12, "{pair}");
    let end = if swapped { 1.0 / high } else { low };
    assert!((pair["ratio"]["low"].as_f64().unwrap() / end - 1.0).abs() < 1e-12, "{pair}");
    assert!(pair["ratio"]["low"].as_f64().unwrap() > 1.0, "{pair}");
    let (near, far) = (corrected.ln().abs(), observed.ln().abs());
    assert!(near > 0.0 && near < far, "a ratio that ended play is corrected towards 1: {verdict}");
}
