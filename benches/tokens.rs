//! The figures of counting tokens.

use crate::{files_below, in_turn, ms, repeat, words};
use promptc::text::tokens::Tokenizer;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Names a file for this program to count, as a process of its own.
const COUNT: &str = "PROMPTC_COUNT";

/// Counts the file that the environment names, if it names one.
pub(crate) fn count_and_end() -> bool {
    let Some(path) = std::env::var_os(COUNT) else {
        return false;
    };
    let text = std::fs::read_to_string(path).unwrap();
    println!("{}", Tokenizer::O200K.count(&text));
    true
}

/// Counting tokens: from nothing, and by kind of text.
pub(crate) fn figures() {
    println!("\ntokens");
    let mut pages = Vec::new();
    files_below(Path::new("docs"), &mut pages);
    let mut code = Vec::new();
    files_below(Path::new("src"), &mut code);
    let read = |paths: &[PathBuf]| -> String {
        let texts = paths.iter().filter_map(|p| std::fs::read_to_string(p).ok());
        texts.collect()
    };
    let english = read(&pages);
    code.retain(|p| p.extension().is_some_and(|e| e == "rs"));
    tokens_of_a_process(&english[..english.floor_char_boundary(30_000)]);
    let start = Instant::now();
    black_box(Tokenizer::O200K.count("a"));
    let first = start.elapsed();
    println!(
        "  the first count in a process, of one letter {:>6.3} ms",
        ms(first)
    );
    let texts = [
        ("English, this documentation", english),
        ("Rust, these sources", read(&code)),
        ("Chinese, sentences of common words", chinese()),
        ("one letter 1,000,000 times", "a".repeat(1_000_000)),
        ("as many spaces", " ".repeat(1_000_000)),
    ];
    println!("  MB/s, best of 10: o200k, cl100k, and counting characters");
    for (name, text) in texts {
        let chars = repeat(10, || black_box(&text).chars().count()).0;
        let [o200k, cl100k] = [Tokenizer::O200K, Tokenizer::CL100K]
            .map(|tokenizer| repeat(10, || tokenizer.count(&text)).0);
        let [o200k, cl100k, chars] = [o200k, cl100k, chars].map(|t| rate(text.len(), t));
        println!("  {name:<36} {o200k:>6.1} {cl100k:>6.1} {chars:>8.0}");
    }
}

fn rate(bytes: usize, time: Duration) -> f64 {
    bytes as f64 / time.as_secs_f64() / 1e6
}

/// Whole processes that read a text and count it, in turn.
fn tokens_of_a_process(text: &str) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("text").display().to_string();
    std::fs::write(&file, text).unwrap();
    println!("  a whole process that counts {} bytes", text.len());
    let own = std::env::current_exe().unwrap().display().to_string();
    let mut commands = vec![
        words(&["env", "cat", &file]),
        words(&["env", &format!("{COUNT}={file}"), &own]),
    ];
    let mut names = vec!["cat", "this program, o200k"];
    // The files that `tests/conformance/tokens/run` prepares.
    let work = Path::new("target/token-conformance");
    let python = work.join("venv/bin/python").display().to_string();
    let script = format!(
        "import tiktoken; print(len(tiktoken.get_encoding('o200k_base').encode_ordinary(open('{file}').read())))"
    );
    if Path::new(&python).exists() {
        let ranks = format!("TIKTOKEN_CACHE_DIR={}", work.join("ranks").display());
        commands.push(words(&["env", &ranks, &python, "-c", &script]));
        names.push("Python's tiktoken, o200k");
    } else {
        println!("    tiktoken: not measured (tests/conformance/tokens/run sets it up)");
    }
    for (name, (time, ratio)) in names.iter().zip(in_turn(&commands, 20)) {
        println!("    {name:<28} {:>7.2} ms   {ratio:>6.2} x cat", ms(time));
    }
}

/// Sentences of common words, the same each time.
fn chinese() -> String {
    let common: Vec<&str> = "我们 可以 使用 系统 文件 规则 如果 没有 其他 说明 请 先 阅读 然后 回答 问题 用户 需要 时间 数据 \
        服务 运行 检查 结果 报告 错误 信息 不要 修改 代码 之前 之后 必须 记录 版本 更新 环境 设置 测试 完成 工作 任务 内容 \
        语言 中文 简单 清楚 准确 的 了 在 和 是 有 不 这 那 会 对 就 也 都"
        .split_whitespace()
        .collect();
    let mut state = 1_u64;
    let mut next = |n: usize| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        usize::try_from(state >> 33).unwrap() % n
    };
    let mut text = String::new();
    while text.len() < 300_000 {
        for _ in 0..=next(12) {
            text.push_str(common[next(common.len())]);
        }
        text.push(['，', '。'][next(2)]);
    }
    text
}
