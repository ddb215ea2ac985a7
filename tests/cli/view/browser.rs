//! The page in a browser: headless Chromium, which the gate installs. Run by `cargo test
//! --workspace --test cli -- --ignored browser_`.

use std::fs;
use std::path::Path;
use std::process::Command;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::{CLASSIC, SPRINT, play, run};
use crate::common::{folder, rows, tetrastat, text};

/// Runs a script in a page and returns its answer: `script` is the body of an async function of
/// `page`, `engine`, `view` (opens a view and gives its element) and `given`; what it returns comes
/// back. Anything in the console fails, and so does a resource that was asked of a network.
fn in_browser(page: &Path, given: &Value, script: &str) -> Value {
    let (told, console) = in_any_browser(page, given, script);
    assert!(console.is_empty(), "{console:#?}");
    assert_eq!(told["loaded"], json!([]), "asked of a network");
    told["told"].clone()
}

/// Returns the result of the script (`told`), the resources that were `loaded` or requested, and
/// the console messages.
fn in_any_browser(page: &Path, given: &Value, script: &str) -> (Value, Vec<String>) {
    let html = fs::read_to_string(page).unwrap();
    let given = given.to_string().replace('<', "\\u003c");
    let harness = format!(
        "<script>
// By messages: timers would use up the virtual time while other threads unpack and compile the
// engine.
const turn = () => new Promise((go) => {{ const {{ port1, port2 }} = new MessageChannel(); port1.onmessage = go; port2.postMessage(0); }});
const wait = async () => {{ while (!globalThis.tetrastatPage) await turn(); }};
const test = async () => {{
  await wait();
  const {{ page, engine, show, made }} = tetrastatPage;
  const view = (name) => {{ show(name); return made.get(name); }};
  const given = {given};
  {script}
}};
test().then((told) => {{
  const loaded = performance.getEntriesByType('resource').map((entry) => entry.name);
  const pre = document.createElement('pre');
  pre.id = 'told';
  pre.textContent = btoa(JSON.stringify({{ told, loaded }}));
  document.body.append(pre);
}}, (error) => console.error(`test: ${{error.stack}}`));
</script></body>"
    );
    let tested = page.with_extension("tested.html");
    // The page allows only its own script, by its hash; the test's script has a hash of its own
    // beside it.
    let source =
        harness.strip_prefix("<script>").unwrap().strip_suffix("</script></body>").unwrap();
    let hash = BASE64_STANDARD.encode(Sha256::digest(source));
    assert!(html.contains("script-src 'sha256-"), "the policy names scripts by their hashes");
    let html = html.replacen("script-src ", &format!("script-src 'sha256-{hash}' "), 1);
    fs::write(&tested, html.replace("</body>", &harness)).unwrap();
    let profile = page.with_extension("profile");
    let output = Command::new("chromium")
        .args(["--headless=new", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr"])
        .arg(format!("--user-data-dir={}", profile.display()))
        .args(["--virtual-time-budget=60000", "--dump-dom", "--window-size=1400,900"])
        .arg(format!("file://{}", tested.display()))
        .output()
        .expect("chromium: install Debian's package");
    let (dom, log) = (text(&output.stdout), String::from_utf8_lossy(&output.stderr));
    let console: Vec<&str> = log.lines().filter(|line| line.contains("CONSOLE")).collect();
    let told = dom.split_once("<pre id=\"told\">").and_then(|(_, rest)| rest.split_once('<'));
    let (told, _) = told.unwrap_or_else(|| panic!("the script did not end: {log}"));
    let console = console.into_iter().map(str::to_owned).collect();
    let bytes = BASE64_STANDARD.decode(told).unwrap();
    let told: Value = serde_json::from_slice(&bytes).unwrap();
    (told, console)
}

#[test]
#[ignore = "a browser"]
fn browser_a_game_is_played_back_as_it_was_logged() {
    for words in [&CLASSIC[..], &SPRINT] {
        let folder = folder();
        play(folder.path(), words);
        run(folder.path(), &["view", "run", "--out", "page.html", "--force"]);
        let script = "
            const replay = view('Replay');
            const board = () => { const at = replay.querySelector('[data-piece-no]'); return [Number(at.dataset.pieceNo), at.dataset.after]; };
            const button = (label) => replay.querySelector(`button[aria-label='${label}']`);
            const seen = [board()];
            for (let k = 1; k < 50; k += 1) { button('next placement').click(); seen.push(board()); }
            for (let k = 0; k < 10; k += 1) button('placement before').click();
            seen.push(board());
            replay.querySelector('input[type=range]').dispatchEvent(new KeyboardEvent('keydown', { key: 'Home', bubbles: true }));
            seen.push(board());
            return { game: page.games[0].game, seen, pictures: replay.querySelectorAll('svg.board rect').length };";
        let told = in_browser(&folder.path().join("page.html"), &Value::Null, script);
        if words == SPRINT {
            run(folder.path(), &["data", "convert", "run/placements.csv.gz", "run/placements.csv"]);
        }
        let log = rows(&folder.path().join("run/placements.csv"));
        let game = told["game"].to_string();
        let logged: Vec<Value> = log
            .iter()
            .filter(|row| row["game"] == game)
            .map(|row| json!([row["piece_no"].parse::<u64>().unwrap(), row["board"]]))
            .collect();
        let seen = told["seen"].as_array().unwrap();
        assert_eq!(seen[..50], logged[..50]);
        assert_eq!(
            (&seen[50], &seen[51]),
            (&logged[39], &logged[0]),
            "ten back, and to the beginning"
        );
        assert!(told["pictures"].as_u64().unwrap() > 100);
    }
}

/// The terms drawn for every placement of a Blitz must be complete and add up to the logged value.
#[test]
#[ignore = "a browser"]
fn browser_terms_of_a_placement_add_up_to_its_value() {
    let folder = folder();
    let words = ["--rules", "guideline", "--mode", "blitz", "--games", "1", "--placements", "csv"];
    play(folder.path(), &words);
    run(folder.path(), &["view", "run", "--out", "page.html"]);
    let script = "
        const replay = view('Replay'), next = replay.querySelector('button[aria-label=\"next placement\"]');
        const seen = [];
        for (let at = 0; at < page.games[0].data[0].length; at += 1, next.click()) {
          const terms = [...replay.querySelectorAll('[data-term]')].map((row) => row.dataset);
          const sum = (name) => terms.reduce((total, term) => total + Number(term[name]), 0);
          const headings = [...replay.querySelectorAll('h2')].map((heading) => heading.textContent);
          seen.push({ at: replay.querySelector('[data-piece-no]').dataset.pieceNo, terms: terms.length, sum: sum('product'), gain: sum('gain'), headings,
            told: Number(replay.querySelector('[data-sum]').dataset.product), first: terms[0].term, why: replay.querySelector('.why').textContent,
            listed: replay.querySelectorAll('[aria-label=placements] tbody tr').length });
        }
        return seen;";
    let told = in_browser(&folder.path().join("page.html"), &Value::Null, script);
    let log = rows(&folder.path().join("run/placements.csv"));
    let seen = told.as_array().unwrap();
    assert_eq!(seen.len(), log.len());
    for (seen, row) in seen.iter().zip(&log) {
        let value: f64 = row["score"].parse().unwrap();
        assert_eq!((&seen["at"], &seen["terms"]), (&json!(row["piece_no"]), &json!(44)));
        for sum in ["sum", "told"] {
            assert!((seen[sum].as_f64().unwrap() - value).abs() < 1e-6, "{seen}: {value}");
        }
        if let Ok(second) = row["rank2_score"].parse::<f64>() {
            assert!((seen["gain"].as_f64().unwrap() - (value - second)).abs() < 1e-6, "{seen}");
        }
        let headings = ["What it is worth", "Why not the next best", "Placements by value"];
        assert_eq!(seen["headings"], json!(headings));
        assert!(seen["listed"].as_u64().unwrap() >= 5, "{seen}");
    }
    // The deciding terms come first, before terms that are large for both placements.
    let spin = log.iter().position(|row| row["clear_type"] == "t_spin_2").unwrap();
    assert_eq!(seen[spin]["first"], "t_spin_2");
    assert!(seen[spin]["why"].as_str().unwrap().ends_with("mainly from t_spin_2"));
}

#[test]
#[ignore = "a browser"]
fn browser_placements_are_ranked_as_by_the_command() {
    let folder = folder();
    play(folder.path(), &[&CLASSIC[..], &["--controller", "dellacherie"]].concat());
    run(folder.path(), &["view", "run", "--out", "page.html"]);
    let log = rows(&folder.path().join("run/placements.csv"));
    let every = log.len() / 200;
    let boards: Vec<(String, String)> = log
        .iter()
        .step_by(every)
        .take(200)
        .map(|row| (row["board"].clone(), row["piece"].clone()))
        .collect();
    let script = "
        const plain = ({ products, after, cells, cleared_rows, piece, ...told }) => told;
        return given.map(([board, piece]) => engine.call({ rank: { controller: 'dellacherie', board, piece, width: 10, height: 10 } }).placements.map(plain));";
    let told = in_browser(&folder.path().join("page.html"), &json!(boards), script);
    let told = told.as_array().unwrap();
    assert_eq!(told.len(), 200);
    for ((board, piece), told) in boards.iter().zip(told) {
        let picture = picture(board);
        let args = ["show", "board", "--picture", &picture, "--board", "10x10", "--piece", piece];
        let args = [&args[..], &["--controller", "dellacherie"]].concat();
        let output = tetrastat(folder.path(), &[&args[..], &["--format", "json"]].concat());
        assert!(output.status.success(), "{}", text(&output.stderr));
        let listed: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(*told, numbers(&listed["placements"]), "{board} {piece}");
    }
}

/// A value as JavaScript hands it back, where 1.0 is 1.
fn numbers(value: &Value) -> Value {
    match value {
        Value::Array(values) => values.iter().map(numbers).collect(),
        Value::Object(entries) => {
            entries.iter().map(|(key, value)| (key.clone(), numbers(value))).collect()
        }
        Value::Number(number) => match number.as_f64() {
            Some(whole) if whole.fract() == 0.0 => json!(whole as i64),
            _ => value.clone(),
        },
        _ => value.clone(),
    }
}

/// Rows in hexadecimal as a picture of a 10x10 board.
fn picture(hex: &str) -> String {
    let mut rows: Vec<u16> =
        hex.split(':').map(|row| u16::from_str_radix(row, 16).unwrap()).collect();
    rows.resize(10, 0);
    let line =
        |row: &u16| (0..10).map(|x| if row >> x & 1 == 1 { '#' } else { '.' }).collect::<String>();
    rows.iter().rev().map(line).collect::<Vec<_>>().join("/")
}

#[test]
#[ignore = "a browser"]
fn browser_a_filter_holds_and_every_view_opens() {
    let folder = folder();
    play(folder.path(), &CLASSIC);
    run(folder.path(), &["view", "run", "--out", "page.html", "--rows", "100000"]);
    let script = "
        const tables = view('Placements'), filter = tables.querySelector('input[type=search]');
        const words = () => tables.querySelector('[role=status]').textContent;
        const type = (text) => { filter.value = text; filter.dispatchEvent(new Event('input')); return words(); };
        const told = [type('holes > 3 and piece = T'), type('holes >>> x'), type('nothing = 1'), type('')];
        const live = view('Live');
        live.querySelector('button').click();
        const ranked = live.querySelectorAll('tbody tr').length;
        view('Overview');
        await new Promise((go) => setTimeout(go, 500));
        return { told, ranked, charts: document.querySelectorAll('canvas').length, tabs: [...document.querySelectorAll('[role=tab]')].map((tab) => tab.textContent) };";
    let told = in_browser(&folder.path().join("page.html"), &Value::Null, script);
    let log = rows(&folder.path().join("run/placements.csv"));
    let holds = log
        .iter()
        .filter(|row| row["holes"].parse::<i64>().unwrap() > 3 && row["piece"] == "T")
        .count();
    let [filtered, wrong, unknown, all] = [0, 1, 2, 3].map(|k| told["told"][k].as_str().unwrap());
    let plain = |text: &str| text.replace(',', "");
    assert_eq!(plain(filtered), format!("{holds} of {} rows", log.len()));
    assert!(wrong.contains("write comparisons joined by and"), "{wrong}");
    assert_eq!(unknown, "no column nothing");
    assert_eq!(plain(all), format!("{0} of {0} rows", log.len()));
    assert!(
        told["ranked"].as_u64().unwrap() > 9 && told["charts"].as_u64().unwrap() >= 2,
        "{told}"
    );
    assert_eq!(told["tabs"], json!(["Overview", "Replay", "Tables", "Live"]));
}

/// The Live view of a Sprint: who played there, ranked as the command does, then a preset of
/// classic games, and a guideline game that is played on.
#[test]
#[ignore = "a browser"]
fn browser_guideline_games_are_ranked_and_played_on() {
    let folder = folder();
    play(folder.path(), &SPRINT);
    run(folder.path(), &["view", "run", "--out", "page.html"]);
    let script = "
        const live = view('Live'), named = (name) => live.querySelector(`[aria-label=\"${name}\"]`);
        const ranking = () => [...live.querySelectorAll('.ranking tbody tr')].map((row) => [...row.cells].map((cell) => cell.textContent));
        const change = (field, value) => { field.value = value; field.dispatchEvent(new Event('change')); };
        const choose = (name) => change(named('controller'), [...named('controller').options].find((option) => option.text === name).value);
        choose('tetrastat-blitz-greedy');
        change(named('movement'), 'full');
        change(named('hold'), 'O');
        change(named('pieces that are seen'), 'LJ');
        const ranked = ranking(), fields = [...live.querySelectorAll('.bar select')].length;
        const toggle = [...live.querySelectorAll('button')].find((button) => button.textContent === 'let it play');
        toggle.click();
        const said = () => live.querySelector('[role=status]').textContent;
        while (!/^[2-9][0-9] pieces/.test(said())) await new Promise((go) => setTimeout(go, 50));
        toggle.click();
        const played = said();
        choose('lee');
        return { ranked, fields, played, others: ranking().length };";
    let told = in_browser(&folder.path().join("page.html"), &Value::Null, script);
    let args = [
        "show",
        "board",
        "--rules",
        "guideline",
        "--mode",
        "blitz",
        "--movement",
        "full",
        "--piece",
        "T",
        "--hold",
        "O",
        "--next",
        "LJ",
        "--controller",
        "tetrastat-blitz-greedy",
        "--format",
        "json",
    ];
    let output = tetrastat(folder.path(), &args);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let listed: Value = serde_json::from_slice(&output.stdout).unwrap();
    let listed = listed["placements"].as_array().unwrap();
    let ranked = told["ranked"].as_array().unwrap();
    assert_eq!(ranked.len(), listed.len());
    for (shown, placement) in ranked.iter().zip(listed) {
        let held = if placement["used_hold"] == true { " (hold)" } else { "" };
        assert_eq!(shown[1], format!("{}{held}", placement["piece"].as_str().unwrap()));
        assert_eq!(shown[2], placement["orientation"]);
        assert_eq!(shown[3], placement["column"].to_string());
    }
    assert!(told["played"].as_str().unwrap().contains(" lines; last: "), "{told}");
    assert_eq!(told["fields"], 7);
    assert_eq!(told["others"], 34);
}

#[test]
#[ignore = "a browser"]
fn browser_nothing_of_a_name_is_executed() {
    let folder = folder();
    let name = "</script><script>pwned=1</script><img src=x onerror=pwned=1>";
    let lee = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/data/controllers/lee.toml"));
    let controller = lee.unwrap().replacen("name = \"lee\"", &format!("name = '{name}'"), 1);
    fs::write(folder.path().join("named.toml"), controller).unwrap();
    play(folder.path(), &[&CLASSIC[..], &["--controller", "named.toml"]].concat());
    run(folder.path(), &["view", "run", "--out", "page.html"]);
    let script = "
        for (const name of ['Overview', 'Replay', 'Placements', 'Live']) view(name);
        await new Promise((go) => setTimeout(go, 500));
        return { name: page.controller.name, pwned: typeof pwned, images: document.images.length, shown: document.body.textContent.includes(page.controller.name) };";
    let told = in_browser(&folder.path().join("page.html"), &Value::Null, script);
    assert_eq!(told, json!({ "name": name, "pwned": "undefined", "images": 0, "shown": true }));
}

#[test]
#[ignore = "a browser"]
fn browser_an_address_of_any_end_shows_the_page() {
    let folder = folder();
    play(folder.path(), &CLASSIC);
    run(folder.path(), &["view", "run", "--out", "page.html"]);
    let script = "
        const told = [];
        for (const end of ['#%', '#Replay', '#%E0%A4%A', '#nothing']) {
            location.hash = end;
            await new Promise((go) => setTimeout(go, 200));
            told.push([...made].filter(([, panel]) => !panel.hidden).map(([name]) => name));
        }
        return told;";
    let told = in_browser(&folder.path().join("page.html"), &Value::Null, script);
    assert_eq!(told, json!([["Overview"], ["Replay"], ["Overview"], ["Overview"]]));
}

#[cfg(unix)]
#[test]
#[ignore = "a browser"]
fn browser_a_page_of_work_that_goes_on_says_so() {
    let folder = folder();
    let child = super::running::begun(folder.path());
    // In the time of the test it must not load itself again.
    let html = fs::read_to_string(folder.path().join("run.html")).unwrap();
    let (before, rest) = html.split_once("\"every_s\":").unwrap();
    let html = format!("{before}\"every_s\":9999{}", &rest[rest.find('}').unwrap()..]);
    fs::write(folder.path().join("while.html"), html).unwrap();
    super::running::stop(child);
    let script = "return document.getElementById('running')?.textContent ?? 'nothing';";
    let told = |name: &str| in_browser(&folder.path().join(name), &Value::Null, script);
    let while_played = told("while.html").as_str().unwrap().to_owned();
    assert!(while_played.starts_with("Still running: "), "{while_played}");
    assert!(while_played.ends_with("load again every 9,999 s"), "{while_played}");
    assert_eq!(told("run.html"), "nothing");
}

/// The page must block every planted element: one with a handler, a script, a style, a form and a
/// base. The page's own script must still work.
#[test]
#[ignore = "a browser"]
fn browser_a_planted_element_does_not_run() {
    let folder = folder();
    play(folder.path(), &CLASSIC);
    run(folder.path(), &["view", "run", "--out", "page.html"]);
    let page = folder.path().join("page.html");
    let html = fs::read_to_string(&page).unwrap();
    let policy = html.split_once("Content-Security-Policy\" content=\"").unwrap().1;
    let policy = policy.split_once('"').unwrap().0;
    assert!(!policy.contains("unsafe-inline"), "{policy}");
    assert!(policy.contains("base-uri 'none'") && policy.contains("form-action 'none'"));
    let planted = "<base href='https://example.invalid/'><img src=x onerror='globalThis.pwned = 1'>
<script>globalThis.pwned = 2</script><div id=styled style='width: 7px'></div><form id=form action='https://example.invalid/'></form>";
    fs::write(&page, html.replacen("<noscript>", &format!("{planted}<noscript>"), 1)).unwrap();
    let script = "
        for (const name of ['Overview', 'Replay', 'Placements', 'Live']) view(name);
        document.getElementById('form').requestSubmit();
        await new Promise((go) => setTimeout(go, 500));
        return { pwned: typeof pwned, styled: document.getElementById('styled').style.width, base: document.baseURI.startsWith('file:'),
          ranked: view('Live').querySelectorAll('tbody tr').length > 9, charts: document.querySelectorAll('canvas').length };";
    let (all, console) = in_any_browser(&page, &Value::Null, script);
    let told = &all["told"];
    assert_eq!((&told["pwned"], &told["styled"]), (&json!("undefined"), &json!("")), "{told}");
    assert_eq!((&told["base"], &told["ranked"]), (&json!(true), &json!(true)), "{told}");
    assert!(told["charts"].as_u64().unwrap() >= 2, "{told}");
    let violations = console.iter().filter(|line| line.contains("Content Security Policy"));
    assert!(violations.count() >= 4, "{console:#?}");
}

/// Each tick of a log axis must have its own label and grid line.
#[test]
#[ignore = "a browser"]
fn browser_ticks_of_a_log_axis_are_told_apart() {
    let folder = folder();
    let words = ["--board", "8x8", "--controller", "lee", "--budget", "300000", "--out", "run"];
    run(folder.path(), &[&["estimate"][..], &words].concat());
    run(folder.path(), &["view", "run", "--out", "page.html"]);
    let script = "
        view('Overview');
        await new Promise((go) => setTimeout(go, 500));
        const drawn = [...charts].flatMap(({ plot }) => plot.axes.map((axis, at) => ({ log: plot.scales[at ? 'y' : 'x'].distr === 3, labels: axis._values, lines: axis._splits.length })));
        const ticks = [[1e-9, 1], [1e-8, 2e-5], [0.4, 0.9], [1, 1e30]].map(([min, max]) => logTicks(min, max).map(logTick));
        return { drawn: drawn.filter((axis) => axis.log), ticks };";
    let told = in_browser(&folder.path().join("page.html"), &Value::Null, script);
    let is_told_apart = |labels: &Value| {
        let labels: Vec<&str> =
            labels.as_array().unwrap().iter().filter_map(Value::as_str).collect();
        let distinct: std::collections::BTreeSet<&&str> = labels.iter().collect();
        distinct.len() == labels.len() && !labels.contains(&"0")
    };
    let drawn = told["drawn"].as_array().unwrap();
    assert!(!drawn.is_empty(), "{told}");
    for axis in drawn {
        assert!(is_told_apart(&axis["labels"]) && axis["lines"].as_u64() <= Some(12), "{axis}");
        assert!(axis["labels"].as_array().unwrap().len() > 1, "{axis}");
    }
    assert!(told["ticks"].as_array().unwrap().iter().all(is_told_apart), "{told}");
}

/// No column of verdicts may be cut off, even with long condition names. The page of a single Blitz
/// has means per game but no rank.
#[test]
#[ignore = "a browser"]
fn browser_verdicts_are_in_sight_and_a_single_run_has_no_rank() {
    let folder = folder();
    let path = folder.path();
    let study = "games = 12\nplacements = \"none\"\nmax_pieces = 300\nboards = [\"8x8\", \"8x10\"]\ncontrollers = [\"bcts\", \"dellacherie\"]\nqueues = [\"bag\", \"uniform\"]\n";
    fs::write(path.join("study.toml"), study).unwrap();
    run(path, &["study", "study.toml", "--out", "run"]);
    run(path, &["view", "run", "--out", "page.html"]);
    let script = "
        const table = view('Overview').querySelector('[aria-label=pairs]');
        const heads = [...table.querySelectorAll('th')].map((head) => head.textContent);
        return { heads, rows: table.querySelectorAll('tbody tr').length, cut: table.scrollWidth - table.clientWidth, width: innerWidth };";
    let told = in_browser(&path.join("page.html"), &Value::Null, script);
    assert!(told["cut"].as_i64().unwrap() <= 0 && told["width"] == 1400, "{told}");
    assert_eq!((&told["rows"], &told["heads"][2]), (&json!(28), &json!("verdict")));
    let blitz = ["--rules", "guideline", "--mode", "blitz", "--games", "3"];
    fs::remove_dir_all(path.join("run")).unwrap();
    play(path, &blitz);
    run(path, &["view", "run", "--out", "page.html", "--force"]);
    let script = "
        const texts = (name, part) => [...view('Overview').querySelectorAll(`[aria-label='${name}'] ${part}`)].map((cell) => cell.textContent);
        return { heads: texts('means', 'th'), columns: texts('means per game', 'tbody td:first-child') };";
    let told = in_browser(&path.join("page.html"), &Value::Null, script);
    let heads = told["heads"].as_array().unwrap();
    assert!(!heads.contains(&json!("rank")) && heads.contains(&json!("censored")), "{told}");
    let columns = told["columns"].as_array().unwrap();
    for column in ["lost", "pieces_per_second", "points_b2b", "T-spin double", "mini T-spin single"]
    {
        assert!(columns.contains(&json!(column)), "{column}: {told}");
    }
}

/// A study with estimated conditions shows the means of all its conditions and all ratios, with the
/// larger mean above.
#[test]
#[ignore = "a browser"]
fn browser_estimated_conditions_are_compared_with_played_ones() {
    let folder = folder();
    let path = folder.path();
    let study = "controllers = [\"lee\", \"bcts\"]\nboards = [\"6x8\", \"8x12\"]\ngames = 30\nmax_pieces = 2000\nplacements = \"none\"\nmethod = \"auto\"\nbudget = 60000\npieces = 4000\nburn_in = 200\npilot_pieces = 4000\n";
    fs::write(path.join("study.toml"), study).unwrap();
    run(path, &["study", "study.toml", "--out", "run"]);
    run(path, &["view", "run", "--out", "page.html"]);
    let script = "
        const rows = (name) => [...view('Overview').querySelectorAll(`[aria-label=${name}] tbody tr`)].map((row) => [...row.children].map((cell) => cell.textContent));
        return { means: rows('means'), contrasts: rows('contrasts'), pairs: rows('pairs').length };";
    let told = in_browser(&path.join("page.html"), &Value::Null, script);
    let column = |rows: &str, place: usize| -> Vec<String> {
        let rows = told[rows].as_array().unwrap();
        rows.iter().map(|row| row[place].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(column("means", 0), ["lee 6x8", "lee 8x12", "bcts 6x8", "bcts 8x12"]);
    assert_eq!(column("means", 1), ["log_t", "log_t", "log_t", "splitting"]);
    let ratios = column("contrasts", 1);
    assert!(ratios.len() == 6 && told["pairs"] == 0, "{told}");
    assert!(ratios.iter().all(|ratio| ratio.parse::<f64>().unwrap() >= 1.0), "{told}");
}

/// The pictures of the docs show the page as it is: docs/pictures/page.sh wrote their headings into
/// page.txt.
#[test]
#[ignore = "a browser"]
fn browser_pictures_of_the_docs_have_the_headings_of_the_page() {
    let folder = folder();
    let path = folder.path();
    let study = "controllers = [\"bcts\", \"dt20\", \"dellacherie\", \"el-tetris\"]\nboard = \"10x10\"\ngames = 12\nmax_pieces = \"none\"\nplacements = \"none\"\n";
    fs::write(path.join("study.toml"), study).unwrap();
    run(path, &["study", "study.toml", "--out", "controllers"]);
    play(path, &["--controller", "dellacherie", "--max-pieces", "300", "--placements", "csv"]);
    let headings = include_str!("../../../docs/pictures/headings.js");
    let shown = [("controllers", "Overview"), ("run", "Replay")].map(|(name, tab)| {
        run(path, &["view", name, "--out", "page.html", "--force"]);
        // The result may hold ASCII only.
        let script = format!("{headings}\nshow('{tab}');\nreturn headings().map((text) => text.replace(/[^ -~]/g, '?'));");
        let told = in_browser(&path.join("page.html"), &Value::Null, &script);
        let lines: Vec<&str> =
            told.as_array().unwrap().iter().map(|line| line.as_str().unwrap()).collect();
        lines.join("\n")
    });
    let pictured = include_str!("../../../docs/pictures/page.txt").trim_end();
    let pictured = pictured.replace(|c: char| c != '\n' && !c.is_ascii(), "?");
    assert_eq!(shown.join("\n\n"), pictured, "run docs/pictures/page.sh");
}
