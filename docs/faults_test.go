package docs

import (
	"errors"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestFaults shows the errors that the tests of this package find: each text is a page with one fault.
func TestFaults(t *testing.T) {
	const fence = "```"
	block := func(language string, lines ...string) string {
		return fence + language + "\n" + strings.Join(lines, "\n") + "\n" + fence + "\n"
	}
	tests := []struct{ name, text, want string }{
		{"none", "<!-- test: loose it varies -->\n" + block("console", "$ echo 3 fish in 5.25 s", "7 fish in 1.5 s"), ""},
		{"unknown command", block("sh", "no-such-command -o x"), "page.md:2: no-such-command -o x"},
		{"later lines do not hide it", block("sh", "no-such-command", "true"), "page.md:2: no-such-command"},
		{"failing command", block("console", "$ false"), "page.md:2: false"},
		{"other output", block("console", "$ echo hello", "goodbye"), `the page shows "goodbye", the output is "hello"`},
		{"other number", block("console", "$ echo 4 peers", "5 peers"), `the page shows "5 peers", the output is "4 peers"`},
		{"other fraction", block("console", "$ echo loss 0.25", "loss 0.35"), `the page shows "loss 0.35"`},
		{"more output", block("console", "$ printf 'a\\nb\\n'", "a"), `the page does not show "b"`},
		{"less output", block("console", "$ echo a", "a", "b"), `the output ends before "b"`},
		{"Go that is never compiled", block("go", "package p"), "nothing says how this Go is compiled"},
		{"unknown language", block("bash", "true"), `a block of "bash" is not tested`},
		{"skip without a reason", "<!-- test: skip -->\n" + block("sh", "false"), "skip has no reason"},
		{"unknown order", "<!-- test: ignore it -->\n" + block("sh", "false"), `there is no order "ignore"`},
		{"replacement of nothing", "<!-- test: replace 8080 => 0: any port -->\n" + block("sh", "true"), `replace "8080"`},
		{"comment before no block", "<!-- test: run true -->\ntext\n", "stands before no block"},
		{"excerpt", "<!-- test: from doc.go -->\n" + block("go", "package other"), "doc.go does not contain"},
		{"link", "See [it](nowhere.md).\n", "link to nowhere.md"},
		{"heading", "See [it](README.md#nothing).\n", "there is no such heading"},
		{"flag in text", "Say `--bind-all x=1`.\n", "no program has a flag --bind-all"},
		{"flag in a block that is skipped", "<!-- test: skip it listens -->\n" + block("sh", "peer -listen-at 0.0.0.0:1"), "no program has a flag -listen-at"},
		{"command in text", "Run `bbgen compile x.onnx`.\n", `bbgen has no command "compile"`},
		{"name in text", "Call `dsl.Quorumm`.\n", "there is no dsl.Quorumm"},
	}
	known, err := exported(root)
	if err != nil {
		t.Fatal(err)
	}
	h := help{flags: map[string]bool{"--bind": true, "-listen": true}, verbs: map[string]bool{"build": true}}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := ""
			if err := faults(t, tt.text, known, h); err != nil {
				got = err.Error()
			}
			if tt.want == "" && got != "" || !strings.Contains(got, tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// TestBackground tests that no process remains when a session has ended.
func TestBackground(t *testing.T) {
	dir := t.TempDir()
	p, err := parsePage("page.md", "```sh\nsleep 600 &\necho $! >pid\n```\n")
	if err != nil {
		t.Fatal(err)
	}
	s := &session{page: p, dir: dir}
	if err := s.run(t.Context(), dir); err != nil {
		t.Fatal(err)
	}
	check := exec.Command("sh", "-c", `pid=$(cat pid); for i in $(seq 600); do kill -0 $pid 2>/dev/null || exit 0; sleep 0.1; done; exit 1`)
	check.Dir = s.work()
	if b, err := check.CombinedOutput(); err != nil {
		t.Errorf("the process is still there: %v %s", err, b)
	}
}

// faults returns all errors of a page.
func faults(t *testing.T, text string, known map[string]bool, h help) error {
	p, err := parsePage("page.md", text)
	if err != nil {
		return err
	}
	absolute, err := filepath.Abs(root)
	if err != nil {
		return err
	}
	s := &session{page: p, dir: t.TempDir()}
	return errors.Join(s.run(t.Context(), absolute), p.excerpts(root), p.links(root), p.flags(h), p.names(known))
}
