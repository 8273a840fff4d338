use super::*;

#[test]
fn refuses_what_outlives_or_never_ends() {
    for command in [
        "nohup make",
        "cd x && setsid ./run",
        "make; disown",
        "echo $(nohup x)",
        "sudo nohup x",
        "/usr/bin/nohup x",
        "sleep 5 &",
        "sleep 5 & # later",
        "a & b",
        "server &\ncurl localhost",
        "npm run dev",
        "npm start",
        "pnpm watch",
        "cd ui && yarn dev",
        "docker compose up",
        "docker compose -f a.yml up --build",
        "docker-compose up",
        "next dev",
        "npx vite",
        "vite --port 3",
        "nodemon x.js",
        "PORT=1 uvicorn app:app",
        "gunicorn app",
        "python3 -m http.server 80",
    ] {
        assert!(advice(command).is_some(), "{command}");
    }
}

#[test]
fn lets_pass_what_only_looks_like_it() {
    for command in [
        "ls -la",
        "a && b",
        "make 2>&1 | tee log",
        "make &> log",
        "echo 'run nohup x &'",
        "echo \"a & b\"",
        "git commit -m \"npm run dev &\"",
        "cat > f <<'E'\nnpm start &\nnohup x\nE\ncat f",
        "cat <<-E | wc -l\n\ta & b\n\tE\nls",
        "# a & b\nls",
        "echo $(( 6 & 3 ))",
        "npm --help & true --help",
        "vite --version",
        "vite build",
        "npm run build",
        "npm test",
        "npm install nodemon",
        "grep -rn gunicorn .",
        "timeout 5 npm start",
        "docker compose up -d",
        "docker compose down",
        "python3 -m pytest",
        "cat nohup.out",
        "echo a \\& b",
        "cat <<< 'x & y'",
        "echo 'never closed & ",
    ] {
        assert_eq!(advice(command), None, "{command}");
    }
}

#[test]
fn says_what_to_do_instead() {
    assert_eq!(
        advice("cd ui && npm run dev").unwrap(),
        "`npm run dev` keeps running until it is stopped, so the call would only end by its timeout. \
         Limit it (`timeout 10 …`), or run something that ends by itself: a build, a test, a check."
    );
}
