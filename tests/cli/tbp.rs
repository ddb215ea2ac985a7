//! Tests of the Tetris Bot Protocol: tetrastat as a bot, bots as players, and bots that misbehave.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use crate::common::{command, folder, manifest, rows, tetrastat, text};

/// The path of a bot in `tests/bots`, with its interpreter, as a controller.
fn python(bot: &str) -> String {
    format!("tbp:python3 '{}/tests/bots/{bot}.py'", env!("CARGO_MANIFEST_DIR"))
}

/// `text` as one word of a command.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// This program as a bot with these options, as a controller.
fn tetrastat_bot(options: &str) -> String {
    let program = assert_cmd::cargo::cargo_bin!("tetrastat").display().to_string();
    format!("tbp:'{program}' tbp {options}")
}

/// Runs `simulate` with guideline games of `controller` into `out`.
fn simulate(folder: &Path, options: &str, controller: &str, out: &str) -> Output {
    let words = ["simulate", "--rules", "guideline", "--controller", controller, "--out", out];
    let words: Vec<&str> = words.into_iter().chain(options.split_whitespace()).collect();
    tetrastat(folder, &words)
}

fn succeeds(output: &Output) {
    assert!(output.status.success(), "{}", text(&output.stderr));
}

/// The only line on stderr of a command that failed.
fn failure(output: &Output) -> String {
    let message = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{message}");
    assert_eq!(message.lines().count(), 1, "{message}");
    assert!(message.starts_with("tetrastat: "), "{message}");
    message.to_owned()
}

/// The table in `file` without the columns `unknown`.
fn without(file: &Path, unknown: &[&str]) -> Vec<Vec<(String, String)>> {
    let is_known = |(column, _): &(String, String)| !unknown.contains(&column.as_str());
    rows(file).into_iter().map(|row| row.into_iter().filter(is_known).collect()).collect()
}

/// Columns of `placements` with the results of a search, which a bot keeps to itself.
const OF_SEARCH: [&str; 4] = ["score", "rank2_score", "candidates", "nodes"];

/// A controller plays the same games through the protocol as without it.
fn check_both_ways(game: &str, search: &str, limits: &str, controller: &str) {
    let folder = folder();
    let run = |name: &str| folder.path().join(name);
    let direct = format!("{game} {search} {limits} --threads 1");
    succeeds(&simulate(folder.path(), &direct, controller, "direct"));
    // The bot needs the goal of the games, which the protocol lacks.
    let bot = tetrastat_bot(&format!("--controller {controller} {search} {limits}"));
    let limits: Vec<&str> = limits.split_whitespace().collect();
    let through = format!("{game} {} --threads 3", limits.join(" "));
    succeeds(&simulate(folder.path(), &through, &bot, "through"));
    let table = |name: &str, file: &str, unknown: &[&str]| without(&run(name).join(file), unknown);
    if search.contains("finisher") {
        let planned = rows(&run("direct").join("games.csv"));
        assert!(planned.iter().any(|game| game["planned"] != "0"), "no plan is tested");
        let games = |name| table(name, "games.csv", &["planned"]);
        assert_eq!(games("direct"), games("through"));
    } else {
        let bytes = |name: &str| fs::read_to_string(run(name).join("games.csv")).unwrap();
        assert_eq!(bytes("direct"), bytes("through"));
    }
    let weights = manifest(&run("direct"))["config"]["weights"].clone();
    let terms = weights.as_object().unwrap().keys().map(String::as_str);
    let unknown: Vec<&str> = OF_SEARCH.into_iter().chain(["planned"]).chain(terms).collect();
    let placements = |name| table(name, "placements.csv", &unknown);
    assert_eq!(placements("direct"), placements("through"));
    assert!(placements("direct")[0].len() > 30);
}

#[test]
fn a_greedy_blitz_is_the_same_through_the_protocol() {
    check_both_ways("--games 6", "", "--mode blitz --pieces 70", "tetrastat-blitz-greedy");
    let limits = "--mode endless --pieces 60 --previews 2 --no-hold";
    check_both_ways("--games 4 --queue uniform", "", limits, "tetrastat-blitz-greedy");
}

#[test]
fn a_beam_is_the_same_through_the_protocol() {
    let search = "--search beam --beam-width 5 --beam-perfect-clears 300";
    check_both_ways("--games 5", search, "--mode blitz --pieces 40", "tetrastat-blitz");
    let search = "--search beam --beam-width 4 --beam-depth 3";
    let limits = "--mode blitz --pieces 25";
    check_both_ways("--games 3", search, limits, "tetrastat-blitz-network");
    check_both_ways("--games 3 --queue bag:2", search, limits, "tetrastat-blitz");
}

#[test]
fn a_sprint_is_the_same_through_the_protocol() {
    let limits = "--mode sprint --sprint-lines 8 --movement hard-drop";
    check_both_ways("--games 6", "", limits, "tetrastat-sprint");
    let search = "--search beam --beam-width 6 --finisher 3000";
    check_both_ways("--games 6", search, limits, "tetrastat-sprint");
}

/// The reference bot plays games that are logged, described, verified, watched and compared.
#[test]
#[ignore = "long: 11 s"]
fn long_a_bot_from_elsewhere_plays() {
    let folder = folder();
    let (path, bot) = (folder.path(), python("greedy"));
    let options = "--mode endless --pieces 40 --games 5 --seed 3";
    succeeds(&simulate(path, &format!("{options} --threads 3"), &bot, "run"));
    let run = path.join("run");
    let config = &manifest(&run)["config"];
    let known = &config["bot"];
    assert_eq!(
        [&config["controller"], &known["name"], &config["search"]],
        ["Reference", "Reference", "tbp"]
    );
    assert_eq!([&known["version"], &known["author"]], ["1", "tests"]);
    assert_eq!(format!("tbp:{}", known["command"].as_str().unwrap()), bot);
    let games = rows(&run.join("games.csv"));
    assert_eq!(games.iter().map(|game| game["pieces"].as_str()).collect::<Vec<_>>(), ["40"; 5]);
    assert!(games.iter().all(|game| game["lines"].parse::<u32>().unwrap() > 8), "{games:?}");
    let placements = rows(&run.join("placements.csv"));
    assert!(placements.iter().all(|row| OF_SEARCH.into_iter().all(|column| row[column] == "NA")));
    assert!(placements.iter().any(|row| row["used_hold"] == "TRUE"));
    for words in [
        vec!["verify", "run"],
        vec!["watch", "--replay", "run", "--game", "2", "--from", "30", "--text"],
        vec!["view", "run"],
        // The same command again finds its complete run.
    ] {
        succeeds(&tetrastat(path, &words));
    }
    // One worker gives the same bytes as three.
    succeeds(&simulate(path, &format!("{options} --threads 1"), &bot, "one"));
    let bytes = |run: &str, table: &str| fs::read(path.join(run).join(table)).unwrap();
    for table in ["games.csv", "placements.csv"] {
        assert_eq!(bytes("run", table), bytes("one", table));
    }
    let watch = ["watch", "--rules", "guideline", "--controller", &bot, "--from", "5", "--text"];
    let watched = tetrastat(path, &watch);
    succeeds(&watched);
    assert!(text(&watched.stdout).contains("Reference"), "{}", text(&watched.stdout));
}

/// In classic games, each decision is a position of its own.
#[test]
fn a_bot_plays_classic_games() {
    let folder = folder();
    let (path, bot) = (folder.path(), python("greedy"));
    for (rules, search) in [("simplified", "greedy"), ("standard", "next")] {
        let run = |out: &str, threads: &str| {
            let words = ["simulate", "--rules", rules, "--search", search, "--controller", &bot];
            let more = ["--games", "3", "--max-pieces", "40", "--threads", threads, "--out", out];
            let output = tetrastat(path, &[&words[..], &more].concat());
            succeeds(&output);
            fs::read(path.join(out).join("placements.csv")).unwrap()
        };
        let out = format!("{rules}-1");
        assert_eq!(run(&out, "1"), run(&format!("{rules}-2"), "2"));
        let games = rows(&path.join(&out).join("games.csv"));
        assert!(games.iter().all(|game| game["lines"].parse::<u32>().unwrap() > 8), "{games:?}");
        let placements = rows(&path.join(&out).join("placements.csv"));
        assert!(placements.iter().all(|row| row["score"] == "NA"), "{:?}", placements[0]);
        let recorded = &manifest(&path.join(&out))["config"]["controller"];
        assert_eq!(recorded["name"], "Reference");
        let external = recorded["external"].as_str().unwrap();
        assert!(external.starts_with(&bot), "{external}");
        assert!(external.ends_with("(Reference, version 1, by tests)"), "{external}");
        succeeds(&tetrastat(path, &["verify", &out]));
    }
    let refused = |controller: &str, options: &[&str], part: &str| {
        let words = ["simulate", "--games", "2", "--controller", controller];
        let message = failure(&tetrastat(path, &[&words[..], options].concat()));
        assert!(message.contains(part), "{message} lacks {part}");
    };
    refused(&bot, &["--board", "8x20"], "only on boards 10 wide");
    refused(&bot, &["--policy", "epsilon:0.1"], "a bot plays its own choice");
    refused(&bot, &["--candidates"], "a bot gives no scores");
    let illegal = format!("{} illegal 3", python("faulty"));
    refused(&illegal, &["--threads", "1"], "suggested no legal move for");
    let none = format!("{} none 3", python("faulty"));
    refused(&none, &["--threads", "1"], "can forfeit only guideline games: let it suggest a place");
    refused(&format!("{} crash 3", python("faulty")), &["--threads", "1"], "out of luck");
}

/// The second placement of a bot is its second move. A bot that suggests one move has none.
#[test]
fn the_second_placement_of_a_bot_is_its_second_move() {
    let folder = folder();
    let program = format!(
        "import sys; sys.path.insert(0, '{}/tests/bots'); import json, greedy\n\
         print(json.dumps({{'type': 'info', 'name': 'One', 'version': '1', 'author': 'tests', \
         'features': []}}), flush=True)\n\
         state = {{}}\n\
         for line in sys.stdin:\n    \
         message = json.loads(line)\n    \
         if message['type'] == 'quit': break\n    \
         reply = greedy.answer(state, message)\n    \
         if reply and 'moves' in reply: reply['moves'] = reply['moves'][:1]\n    \
         if reply: print(json.dumps(reply), flush=True)\n",
        env!("CARGO_MANIFEST_DIR")
    );
    fs::write(folder.path().join("one.py"), program).unwrap();
    let placements = |bot: &str, out: &str| {
        let words = ["simulate", "--games", "1", "--max-pieces", "30", "--controller", bot];
        let output = tetrastat(folder.path(), &[&words[..], &["--out", out]].concat());
        succeeds(&output);
        rows(&folder.path().join(out).join("placements.csv"))
    };
    let (all, one) =
        (placements(&python("greedy"), "all"), placements("tbp:python3 one.py", "one"));
    assert_eq!(all.len(), 30);
    for (all, one) in all.iter().zip(&one) {
        let best = ["orientation", "column", "candidates"];
        assert!(best.iter().all(|column| all[*column] == one[*column]), "{all:?} {one:?}");
        let second = ["rank2_orientation", "rank2_column"];
        assert!(
            second.iter().all(|column| all[*column] != "NA" && one[*column] == "NA"),
            "{one:?}"
        );
    }
}

/// The report of a bot's game names no search of this program and no estimate, which refuses bots.
#[test]
fn a_classic_report_gives_bots_no_advice_for_controllers() {
    let folder = folder();
    let report = |controller: &str, search: &str| {
        let words = ["simulate", "--games", "1", "--max-pieces", "30", "--threads", "1"];
        let more = ["--search", search, "--controller", controller];
        let output = tetrastat(folder.path(), &[&words[..], &more].concat());
        succeeds(&output);
        text(&output.stdout).to_owned()
    };
    let (bot, controller) = (report(&python("greedy"), "next"), report("bcts", "next"));
    assert!(controller.contains("tetrastat estimate"), "{controller}");
    assert!(controller.contains("· search next ·"), "{controller}");
    assert!(!bot.contains("tetrastat estimate"), "{bot}");
    assert!(bot.contains("give more --games"), "{bot}");
    assert!(bot.contains("· search of the bot with the next piece ·"), "{bot}");
    let bot = report(&python("greedy"), "greedy");
    assert!(bot.contains("· search of the bot ·") && !bot.contains("search greedy"), "{bot}");
}

/// A bot that suggests no move loses its game. The run continues with the next game.
#[test]
fn a_bot_forfeits_a_guideline_game() {
    let folder = folder();
    let (path, bot) = (folder.path(), format!("{} none 3", python("faulty")));
    let options = "--mode endless --pieces 20 --games 3 --threads 1";
    succeeds(&simulate(path, options, &bot, "run"));
    let column = |name: &str| -> Vec<String> {
        rows(&path.join("run/games.csv")).into_iter().map(|row| row[name].clone()).collect()
    };
    // The bot answers the first two requests, and then none.
    assert_eq!(column("pieces"), ["2", "0", "0"]);
    assert_eq!(column("end_reason"), ["top_out"; 3]);
    succeeds(&tetrastat(path, &["verify", "run"]));
}

#[test]
#[ignore = "long: 19 s"]
fn long_bots_are_compared_and_studied() {
    let folder = folder();
    let (path, bot) = (folder.path(), python("greedy"));
    let options = "--rules guideline --mode endless --pieces 30 --games 10 --format csv";
    let players = [&bot, &format!("{bot}:previews=1"), "capstone-blitz"];
    let words = ["compare"].into_iter().chain(players);
    let output = tetrastat(path, &words.chain(options.split_whitespace()).collect::<Vec<_>>());
    succeeds(&output);
    assert!(text(&output.stdout).contains("Reference"), "{}", text(&output.stdout));
    let file = format!(
        "controllers = [\"{bot}\", \"capstone-blitz\"]\nrules = \"guideline\"\nmode = \"endless\"\n\
         pieces = 20\ngames = 3\nseeds = [1, 2]\n"
    );
    fs::write(path.join("study.toml"), file).unwrap();
    succeeds(&tetrastat(path, &["study", "study.toml", "--out", "study", "--allow-bot"]));
    let names = rows(&path.join("study/conditions.csv"));
    assert!(names.iter().any(|row| row["controller"] == "Reference"), "{names:?}");
}

/// A crash keeps the games before it, and the resumed run has the bytes of one without a crash.
#[test]
fn a_crash_loses_nothing() {
    let folder = folder();
    let path = folder.path();
    let bot = format!("{} crash-once 70", python("faulty"));
    let options = "--mode endless --pieces 30 --games 4 --threads 1";
    succeeds(&simulate(path, options, &bot, "whole"));
    fs::write(path.join("crash"), "").unwrap();
    let message = failure(&simulate(path, options, &bot, "run"));
    for part in [
        "faulty.py",
        "ended with exit code 1",
        "out of luck",
        "2 games are kept",
        "fixed, tetrastat simulate --resume run --allow-bot resumes the run",
    ] {
        assert!(message.contains(part), "{message} lacks {part}");
    }
    assert_eq!(rows(&path.join("run/games.csv")).len(), 2);
    fs::remove_file(path.join("crash")).unwrap();
    let resume = ["simulate", "--resume", "run", "--bot-seconds", "20"];
    let message = failure(&tetrastat(path, &resume));
    assert!(message.contains("run starts the command 'python3 "), "{message}");
    assert!(message.contains("give --allow-bot"), "{message}");
    succeeds(&tetrastat(path, &[&resume[..], &["--allow-bot"]].concat()));
    for table in ["games.csv", "placements.csv"] {
        let bytes = |run: &str| fs::read(path.join(run).join(table)).unwrap();
        assert_eq!(bytes("whole"), bytes("run"));
    }
}

/// Returns the message for a bot that makes `fault` at decision `at`.
fn mistake(fault: &str, at: &str) -> String {
    let folder = folder();
    let bot = format!("{} {fault} {at} {}", python("faulty"), std::process::id());
    let options = "--mode endless --pieces 20 --games 3 --threads 1 --bot-seconds 4";
    failure(&simulate(folder.path(), options, &bot, "run"))
}

#[test]
#[ignore = "long: 10 s"]
fn long_each_mistake_of_a_bot_has_its_line() {
    for (fault, at, parts) in [
        (
            "crash",
            "-1",
            ["ended with exit code 1 before it sent `info`", "out of luck", "run the command"],
        ),
        (
            "crash",
            "0",
            ["ended with exit code 1 before it sent `ready`", "out of luck", "run the command"],
        ),
        (
            "crash",
            "7",
            ["ended with exit code 1 before it sent `suggestion`", "out of luck", "run"],
        ),
        (
            "text",
            "-1",
            ["sent 'thinking\\u{1b}[2J ...'", "no message of the protocol", "correct the bot"],
        ),
        (
            "text",
            "25",
            [
                "sent 'thinking\\u{1b}[2J ...'",
                "1 game is kept",
                "; once this is fixed, tetrastat simulate --resume",
            ],
        ),
        ("error", "0", ["refuses the rules", "unsupported_rules", "--rules"]),
        ("error", "3", ["gave up", "unsupported_rules", "--rules"]),
        (
            "illegal",
            "3",
            ["suggested no legal move for piece 3 of game 0", "T north at x 4, y 15", "--movement"],
        ),
        (
            "half",
            "-1",
            [
                "ended with exit code 1 in the middle of a message ('{\"type\":\"sugg')",
                "last line on stderr was 'out of luck'",
                "run the command alone",
            ],
        ),
        ("half", "3", ["ended with exit code 1 in the middle of a message", "sugg", "run"]),
        ("order", "3", ["sent `ready` instead of `suggestion`", "correct", "bot"]),
        ("order", "-1", ["sent `ready` instead of `info`", "correct", "bot"]),
        ("long", "2", ["a line of more than", "bytes", "correct the bot"]),
    ] {
        let message = mistake(fault, at);
        for part in parts.into_iter().chain(["controller tbp:python3", "faulty.py"]) {
            assert!(message.contains(part), "{fault} {at}: {message} lacks {part}");
        }
    }
}

/// A command that comes from a file or a folder is not started before the user allows it.
#[test]
fn commands_of_files_and_folders_are_not_started_unasked() {
    let folder = folder();
    let path = folder.path();
    let evil = format!("echo x >> PWNED; exec {} greedy", &python("greedy")["tbp:".len()..]);
    let bot = format!("tbp:sh -c {}", quoted(&evil));
    let options = "--mode endless --pieces 40 --games 2 --threads 1 --checkpoint-ms 0";
    succeeds(&simulate(path, options, &bot, "gift"));
    // The run as an interruption leaves it.
    let half =
        "--mode endless --pieces 40 --games 2000 --threads 1 --checkpoint-ms 0 --placements none";
    let words = ["simulate", "--rules", "guideline", "--controller", &bot, "--out", "half"];
    let words: Vec<&str> = words.into_iter().chain(half.split_whitespace()).collect();
    fs::remove_file(path.join("PWNED")).unwrap();
    let mut running = command(path, &words).stderr(Stdio::null()).spawn().unwrap();
    // One start of the bot is for its name, and one for the games.
    let starts = || fs::read_to_string(path.join("PWNED")).unwrap_or_default().lines().count();
    while starts() < 2 || !path.join("half/checkpoint.json").exists() {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    running.kill().unwrap();
    running.wait().unwrap();
    let shared = format!("controllers = ['capstone-blitz', {bot:?}]\nrules = 'guideline'\n");
    let study = format!("{shared}mode = 'endless'\npieces = 20\ngames = 1\n");
    let dataset = "[dataset]\nname = 'd'\ntitle = 'D'\nversion = '1'\ndescription = 'd'\n";
    fs::write(path.join("study.toml"), &study).unwrap();
    fs::write(path.join("data.toml"), study + dataset).unwrap();
    fs::remove_file(path.join("PWNED")).unwrap();
    for words in [
        "simulate --resume half",
        "study study.toml --dry-run",
        "study study.toml --out s",
        "dataset data.toml --dry-run",
        "dataset data.toml --out d",
    ] {
        let words: Vec<&str> = words.split(' ').collect();
        let message = failure(&tetrastat(path, &words));
        assert!(message.contains("echo x >> PWNED"), "{message}");
        assert!(message.contains("give --allow-bot"), "{message}");
    }
    succeeds(&tetrastat(path, &["verify", "gift"]));
    assert!(!path.join("PWNED").exists());
    succeeds(&tetrastat(path, &["study", "study.toml", "--out", "s", "--allow-bot"]));
    assert!(path.join("PWNED").exists());
}

/// A bot that answers every 20 ms and reads nothing fills the pipe to it.
#[test]
fn a_bot_that_reads_nothing_stops_no_run() {
    let folder = folder();
    let options = "--mode endless --pieces 20 --games 200 --threads 1 --bot-seconds 1";
    let bot = format!("{} deaf 0", python("faulty"));
    let message = failure(&simulate(folder.path(), options, &bot, "run"));
    assert!(message.contains("read no message within 1 s"), "{message}");
    assert!(message.contains("--bot-seconds"), "{message}");
}

/// A process that a bot started ends with the bot, whether the bot quits or crashes.
#[test]
fn helpers_of_a_bot_end_with_it() {
    let folder = folder();
    let path = folder.path();
    let helper = |name: &str, end: &str| {
        let bot = &python("greedy")["tbp:".len()..];
        let script = format!("sleep 300 & echo $! >> {name}.pids; {}", end.replace("BOT", bot));
        let bot = format!("tbp:sh -c {}", quoted(&script));
        let output = simulate(path, "--mode endless --pieces 5 --games 1", &bot, name);
        let pids = fs::read_to_string(path.join(format!("{name}.pids"))).unwrap();
        for pid in pids.lines() {
            // A killed process that nobody waits for stays in the table as a zombie.
            let state = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
            assert!(state.is_empty() || state.contains(") Z "), "{name}: {state}");
        }
        output
    };
    succeeds(&helper("quits", "BOT"));
    let message = failure(&helper("crashes", "exit 9"));
    assert!(message.contains("ended with exit code 9"), "{message}");
}

/// The name that a bot gives itself is the name of its condition, without what tables cannot hold.
#[test]
fn names_of_bots_may_have_commas() {
    let folder = folder();
    for (name, shown) in [("My Bot, \"by\" me", "My Bot by me"), ("NA", "bot")] {
        let bot = format!("{} name 0 {}", python("faulty"), quoted(name));
        let words = ["compare", &bot, "capstone-blitz", "--rules", "guideline", "--mode"];
        let more = ["endless", "--pieces", "10", "--games", "10", "--format", "csv"];
        let output = tetrastat(folder.path(), &[&words[..], &more].concat());
        succeeds(&output);
        assert!(text(&output.stdout).contains(shown), "{}", text(&output.stdout));
    }
}

#[test]
fn a_silent_bot_and_its_children_are_killed() {
    for fault in ["silence", "child"] {
        let message = mistake(fault, "2");
        assert!(message.contains("sent no `suggestion` within 4 s"), "{message}");
        assert!(message.contains("raise --bot-seconds"), "{message}");
    }
    let sleeper = format!("600.{}", std::process::id());
    let is_left = |process: PathBuf| {
        let words = fs::read(process.join("cmdline")).unwrap_or_default();
        String::from_utf8_lossy(&words).contains(&sleeper)
    };
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    assert!(!processes.into_iter().any(|process| is_left(process.path())), "an orphan is left");
}

#[test]
fn commands_that_start_no_bot_are_refused() {
    let refused = |controller: &str, options: &str, parts: &[&str]| {
        let folder = folder();
        let message = failure(&simulate(folder.path(), options, controller, "run"));
        for part in parts {
            assert!(message.contains(part), "{message} lacks {part}");
        }
        assert!(!folder.path().join("run").exists());
    };
    refused("tbp:", "", &["no command", "tbp:python3"]);
    let open = ["a quote of the command is not closed", "write it after tbp:"];
    refused("tbp:'open", "", &open);
    refused("tbp:python3 'bot.py", "", &open);
    refused("tbp:./nothing --fast", "", &["./nothing cannot be started", "check the command"]);
    refused("tbp:true", "", &["before it sent `info`"]);
    let bot = python("greedy");
    refused(&bot, "--search beam", &["a bot searches by itself", "--search"]);
    refused(&bot, "--policy epsilon:0.1", &["a bot plays its own choice", "--policy"]);
    refused(&bot, "--candidates", &["a bot gives no scores", "--candidates"]);
    refused(&bot, "--bot-seconds 0", &["--bot-seconds", "0.001 to 86400"]);
    refused(&bot, "--bot-seconds 1e308", &["--bot-seconds 1e308: give 0.001"]);
    let folder = folder();
    let estimate =
        tetrastat(folder.path(), &["estimate", "--rules", "guideline", "--controller", &bot]);
    assert!(
        failure(&estimate).contains("bots play in simulate, compare, study, dataset and watch")
    );
}

/// Random noise of a bot ends the command with one line or is survived; the folder is never damaged.
#[test]
fn no_noise_of_a_bot_breaks_a_run() {
    let mut failures = 0;
    for seed in 0..8 {
        let folder = folder();
        let at = ["-1", "0", "3", "15"][seed % 4];
        let bot = format!("{} noise {at} {seed}", python("faulty"));
        let options = "--mode endless --pieces 10 --games 3 --threads 1 --bot-seconds 3";
        let output = simulate(folder.path(), options, &bot, "run");
        if !output.status.success() {
            failures += 1;
            let message = failure(&output);
            assert!(
                message.contains("controller tbp:python3")
                    && !message.trim_end().contains(char::is_control),
                "{message}"
            );
        }
        if folder.path().join("run").exists() {
            let verify = tetrastat(folder.path(), &["verify", "run"]);
            assert!(!text(&verify.stderr).contains("damaged"), "{}", text(&verify.stderr));
            let games = rows(&folder.path().join("run/games.csv"));
            assert!(!games.is_empty() && games.iter().all(|game| game["pieces"] == "10"));
        }
    }
    assert!(failures > 4, "{failures}");
}

/// Runs the bot of this program with `input`.
fn bot_output(options: &str, input: &[u8]) -> Output {
    let folder = folder();
    let words: Vec<&str> = ["tbp"].into_iter().chain(options.split_whitespace()).collect();
    let mut command: Command = command(folder.path(), &words);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    // The bot ends early after a mistake.
    let _ = child.stdin.take().unwrap().write_all(input);
    child.wait_with_output().unwrap()
}

/// A message with a wrong value names its field or the value.
#[test]
fn wrong_values_are_named() {
    let row = format!("[{}]", ["null"; 10].join(","));
    let board = format!("[{}]", vec![row; 40].join(","));
    let full =
        format!("[[{}]{}", [r#""G""#; 10].join(","), &board[board.find("],").unwrap() + 1..]);
    let known = r#""hold":null,"queue":["I"],"combo":0,"back_to_back":false"#;
    let start = format!(r#"{{"type":"start",{known},"board":{board}}}"#);
    succeeds(&bot_output("", format!("{{\"type\":\"rules\"}}\n{start}\n").as_bytes()));
    let full = format!("{{\"type\":\"rules\"}}\n{}\n", start.replace(&board, &full));
    let message = failure(&bot_output("", full.as_bytes()));
    assert!(message.contains("full rows: send it without them"), "{message}");
    for (message, parts) in [
        (start.replace(r#""combo":0,"#, ""), ["(missing field `combo`)", "add this field"]),
        (start.replace(r#"["I"]"#, r#"["Q"]"#), ["(field `queue`: ", "`Q`"]),
        (start.replacen("null,null", "null,1", 1), ["(field `board`: ", "`1`"]),
        (start.replace(":false", ":[]"), ["(field `back_to_back`: ", "correct its value"]),
        (
            r#"{"type":"rules","randomizer":{"type":"seven_bag"}}"#.to_owned(),
            ["(field `randomizer`: ", "correct its value"],
        ),
        (r#"{"type":"new_piece","piece":"Q"}"#.to_owned(), ["(field `piece`: ", "`Q`"]),
    ] {
        let message = failure(&bot_output("", (message + "\n").as_bytes()));
        for part in parts.into_iter().chain(["stdin, line 1: no message of the protocol"]) {
            assert!(message.contains(part), "{message} lacks {part}");
        }
        assert!(!message.contains("one object a line"), "{message}");
    }
}

/// The help of `tbp` lists only what it accepts.
#[test]
fn the_help_hides_refused_options() {
    let folder = folder();
    let output = tetrastat(folder.path(), &["tbp", "--help"]);
    succeeds(&output);
    let help = text(&output.stdout);
    for shown in ["--search", "`beam`", "--rules", "`capstone`", "--previews", "--mode"] {
        assert!(help.contains(shown), "{help} lacks {shown}");
    }
    for hidden in [
        "--queue",
        "--script",
        "--cycle",
        "--board-file",
        "--threads",
        "--policy",
        "`next`",
        "`expect`",
        "`simplified`",
        "`liap`",
    ] {
        assert!(!help.contains(hidden), "{help} has {hidden}");
    }
}

#[test]
fn this_bot_follows_the_protocol() {
    let ended = bot_output(
        "",
        b"{\"type\":\"rules\",\"new\":1}\n\n{\"type\":\"later\"}\n{\"type\":\"stop\"}\n",
    );
    succeeds(&ended);
    let lines: Vec<serde_json::Value> =
        text(&ended.stdout).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(
        lines.iter().map(|line| line["type"].as_str().unwrap()).collect::<Vec<_>>(),
        ["info", "ready"]
    );
    assert_eq!(lines[0]["name"], "tetrastat-blitz-greedy (greedy)");
    for (input, part) in [
        ("{\"type\":\"start\"}\n", "stdin, line 1: no message of the protocol"),
        (
            "{\"type\":\"rules\"}\n{\"type\":\"suggest\"}\n",
            "stdin, line 2: `suggest` before `start`",
        ),
        ("{\"type\":\"rules\"}\nhello\n", "line 2"),
        ("hello\n", "): send one object a line"),
        ("3\n", "): send one object a line"),
        ("{\"type\":\"play\",\"move\":3}\n", "line 1"),
        ("\u{0}\u{1}\n", "line 1"),
        (&"x".repeat(2_000_000), "more than 1048576 bytes"),
    ] {
        let message = failure(&bot_output("", input.as_bytes()));
        assert!(message.contains(part), "{message} lacks {part}");
    }
    for (options, part) in [
        ("--queue uniform", "--queue is decided by the frontend"),
        ("--rules simplified", "--rules simplified: give --rules guideline, capstone or a"),
        ("--rules liap", "--rules liap: give --rules guideline, capstone or a .toml file"),
        ("--controller bcts", "plays classic games"),
    ] {
        let message = failure(&bot_output(options, b""));
        assert!(message.contains(part), "{message} lacks {part}");
    }
}
