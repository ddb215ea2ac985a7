//! Tests the reaction to keys and time, and the screens as text.

use std::time::{Duration, Instant};

use ratatui::crossterm::event::KeyCode;
use ratatui::layout::Size;

use super::tests::config;
use super::{DuePlacements, FRAME, PlaybackClock, Timeline, WatchApp, picture};
use crate::explain::Watched;
use crate::explain::guideline::tests::guideline;
use crate::rules::Rules;
use crate::screen_text::same_as_file;
use crate::search::Search;
use crate::search::guideline::Beam;
use crate::sim::ClassicConfig;
use crate::sim::guideline::Mode;

fn timeline<G: Watched + Clone>(config: &G, kept: usize) -> Timeline<G> {
    Timeline::live(config.clone(), 0, kept).unwrap()
}

#[test]
fn a_film_keeps_so_many_placements_and_is_the_same_back_and_forth() {
    let mut timeline = timeline(&config(Search::Greedy, Rules::simplified()), 20);
    assert!(timeline.step().is_none() && timeline.range().is_none());
    assert!(timeline.seek(50, &|_| ()).unwrap());
    assert_eq!(timeline.range(), Some((31, 50)));
    let seen = timeline.step().cloned();
    let mut back = 0;
    while timeline.back() {
        back += 1;
    }
    assert_eq!((back, timeline.step().unwrap().piece_no), (19, 31));
    timeline.first();
    (0..19).for_each(|_| assert!(timeline.forward().unwrap()));
    assert_eq!(timeline.step().cloned(), seen);
    timeline.first();
    timeline.last();
    assert_eq!(timeline.step().cloned(), seen);
    assert!(!timeline.seek(1000, &|_| ()).unwrap());
    assert_eq!(timeline.step().unwrap().piece_no, 150);
    assert_eq!(timeline.ending(), Some("the limit of pieces is reached"));
    timeline.back();
    assert_eq!(timeline.ending(), None);
}

fn app<G: Watched>(timeline: Timeline<G>, from: u64) -> WatchApp<G> {
    let mut timeline = timeline;
    timeline.seek(from, &|_| ()).unwrap();
    WatchApp::new(timeline, PlaybackClock::new(5.0, Instant::now()), true).unwrap()
}

#[test]
fn keys_and_time_change_what_is_shown() {
    let now = Instant::now();
    let timeline = timeline(&config(Search::Greedy, Rules::simplified()), 100);
    let mut app = WatchApp::new(timeline, PlaybackClock::new(5.0, now), false).unwrap();
    let number = |app: &WatchApp<ClassicConfig>| app.timeline().step().unwrap().piece_no;
    assert_eq!((number(&app), app.due()), (1, Some(now)));
    app.tick(now).unwrap();
    assert_eq!(number(&app), 2);
    // No placement is made before its time or while paused.
    app.tick(now).unwrap();
    assert_eq!(number(&app), 2);
    app.press(KeyCode::Char(' '), now).unwrap();
    assert!(app.is_paused() && app.due().is_none());
    app.tick(now + Duration::from_secs(9)).unwrap();
    assert_eq!(number(&app), 2);
    for (key, expected) in [
        (KeyCode::Right, 3),
        (KeyCode::Char('n'), 4),
        (KeyCode::Left, 3),
        (KeyCode::Char('b'), 2),
        (KeyCode::End, 4),
        (KeyCode::Home, 1),
        (KeyCode::Left, 1),
        (KeyCode::Char('g'), 4),
    ] {
        app.press(key, now).unwrap();
        assert_eq!(number(&app), expected, "{key}");
    }
    assert_eq!(app.analysis().unwrap().other, Some(1));
    app.press(KeyCode::Down, now).unwrap();
    assert_eq!(app.analysis().unwrap().other, Some(2));
    (0..5).for_each(|_| app.press(KeyCode::Up, now).unwrap());
    assert_eq!(app.analysis().unwrap().other, Some(1), "never the chosen one itself");
    app.press(KeyCode::Char(' '), now).unwrap();
    assert!(!app.is_paused() && !app.has_quit());
    app.press(KeyCode::Char('q'), now).unwrap();
    assert!(app.has_quit());
}

#[test]
fn the_fastest_plays_to_the_end_and_then_stands_still() {
    let now = Instant::now();
    let timeline = timeline(&config(Search::Greedy, Rules::simplified()), 100);
    let mut app = WatchApp::new(timeline, PlaybackClock::new(f64::INFINITY, now), false).unwrap();
    while let Some(due) = app.due() {
        app.tick(due).unwrap();
    }
    assert_eq!(app.timeline().step().unwrap().piece_no, 150);
    assert!(app.is_paused());
}

fn show<G: Watched>(name: &str, app: &WatchApp<G>, size: Size) {
    same_as_file(name, &picture(app, size).unwrap());
}

#[test]
fn screens_of_watch() {
    let large = ClassicConfig {
        size: "10x20".parse().unwrap(),
        ..config(Search::Greedy, Rules::simplified())
    };
    let next = ClassicConfig { search: Search::Next, ..large.clone() };
    let narrow = Size::new(80, 24);
    let mut greedy = app(timeline(&large, 100), 42);
    show("watch_greedy", &greedy, narrow);
    greedy.press(KeyCode::Down, Instant::now()).unwrap();
    show("watch_compared", &greedy, narrow);
    show("watch_next_wide", &app(timeline(&next, 100), 42), Size::new(140, 28));
    let blitz = Mode::Blitz { pieces: 80, time_us: u64::MAX };
    let beam = guideline(Beam::new(8, 4), blitz);
    show("watch_guideline_beam", &app(timeline(&beam, 100), 30), narrow);
    let mut over = timeline(&large, 100);
    over.play_out(&|_| ()).unwrap();
    over.last();
    show("watch_end", &app(over, 1), narrow);
}

fn drawn_in_every_size<G: Watched>(app: &WatchApp<G>) {
    for (width, height) in
        [(1, 1), (39, 50), (40, 12), (60, 20), (80, 24), (113, 13), (138, 20), (200, 70)]
    {
        let drawn = picture(app, Size::new(width, height)).unwrap();
        assert_eq!(drawn.lines().count(), usize::from(height));
        assert!(drawn.lines().all(|line| line.chars().count() <= usize::from(width)));
    }
}

#[test]
fn screens_of_every_size_can_be_drawn() {
    let tall = ClassicConfig {
        size: "16x28".parse().unwrap(),
        ..config(Search::Greedy, Rules::simplified())
    };
    let tall = app(timeline(&tall, 100), 60);
    let sprint = app(timeline(&guideline(Beam::GREEDY, Mode::Sprint { lines: 40 }), 100), 20);
    drawn_in_every_size(&tall);
    drawn_in_every_size(&sprint);
}

#[test]
fn a_second_has_as_many_placements_as_the_speed_says() {
    let start = Instant::now();
    for speed in [0.5, 5.0, 50.0, 100.0, 1000.0, 10_000.0] {
        let mut clock = PlaybackClock::new(speed, start);
        let (mut made, mut pictures) = (0, 0);
        while clock.due() < start + Duration::from_secs(10) {
            let now = clock.due();
            match clock.take_due(now) {
                DuePlacements::Placements(count) => made += count,
                DuePlacements::Until(_) => panic!("{speed} is a speed"),
            }
            pictures += 1;
        }
        let wanted = 10.0 * speed;
        assert!((made as f64 - wanted).abs() <= wanted * 0.01, "{speed}: {made}");
        assert!(pictures <= 601, "{speed}: {pictures}");
    }
}

#[test]
fn the_fastest_fills_one_frame_and_lateness_is_forgiven() {
    let now = Instant::now();
    let mut clock = PlaybackClock::new(f64::INFINITY, now);
    assert_eq!(clock.take_due(now), DuePlacements::Until(now + FRAME));
    let mut clock = PlaybackClock::new(10.0, now);
    let late = now + Duration::from_secs(5);
    assert_eq!(clock.take_due(late), DuePlacements::Placements(1));
    assert_eq!(clock.due(), late);
}

#[test]
fn a_speed_of_no_step_is_kept_until_a_key_goes_to_the_next_step() {
    let now = Instant::now();
    let mut clock = PlaybackClock::new(7.0, now);
    assert_eq!(clock.to_string(), "7 pieces/s");
    clock.faster(now);
    assert_eq!(clock.to_string(), "10 pieces/s");
    let mut clock = PlaybackClock::new(7.0, now);
    clock.slower(now);
    assert_eq!(clock.to_string(), "5 pieces/s");
    let mut slow = PlaybackClock::new(0.01, now);
    slow.slower(now);
    assert_eq!(slow.to_string(), "0.01 pieces/s");
    slow.faster(now);
    assert_eq!(slow.to_string(), "0.5 pieces/s");
}

#[test]
fn speeds_end_at_both_ends() {
    let now = Instant::now();
    let mut clock = PlaybackClock::new(1.0, now);
    (0..20).for_each(|_| clock.slower(now));
    assert_eq!(clock.to_string(), "0.5 pieces/s");
    (0..20).for_each(|_| clock.faster(now));
    assert_eq!(clock.to_string(), "as fast as it goes");
}
