package cost

import (
	"strings"
	"testing"

	"github.com/bbgen/bbgen/internal/cmd/cmdtest"
	"github.com/bbgen/bbgen/internal/golden"
)

// TestCost shows what the command prints, and its errors: the section args has command lines, one a line, whose results
// are out/1, out/2, ….
func TestCost(t *testing.T) {
	golden.Run(t, "testdata/*.txtar", func(t *testing.T, a *golden.Archive) {
		t.Chdir(t.TempDir())
		cmdtest.Model(t, ".", "model.onnx", a.Get("in.ir"))
		i := 0
		for line := range strings.Lines(a.Get("args")) {
			i++
			out, _, err := cmdtest.Run(t, Command(), strings.Fields(line)...)
			if err != nil {
				out += "error: " + err.Error()
			}
			a.Check("out/"+string(rune('0'+i)), out)
		}
	})
}

// TestRefuses shows command lines that are refused before anything is printed.
func TestRefuses(t *testing.T) {
	t.Chdir(t.TempDir())
	model := cmdtest.Model(t, ".", "model.onnx", "module \"m\"\nopset 21\nfunc @main(%x: float32[n]) -> (%y) {\n  %h = Neg(%x) : ?\n  %y = Abs(%h) : ?\n}\n")
	cmdtest.Refuse(t, Command,
		cmdtest.Refusal{Args: nil, Want: "want one INPUT, a model or a program: there is none", Usage: true},
		cmdtest.Refusal{Args: []string{"none.onnx"}, Want: "none.onnx"},
		cmdtest.Refusal{Args: []string{model}, Want: "model.onnx is a plain model, which one peer runs: say with --split N into how many stages it is cut", Usage: true},
		cmdtest.Refusal{Args: []string{model, "--split", "0"}, Want: "--split is 0, want 2 or more", Usage: true},
		cmdtest.Refusal{Args: []string{model, "--split", "1"}, Want: "--split is 1, want 2 or more", Usage: true},
		cmdtest.Refusal{Args: []string{model, "--split", "2", "--latency", "-1s"}, Want: "--latency is -1s, want 0 or more", Usage: true},
		cmdtest.Refusal{Args: []string{model, "--stage-names", "a,b"}, Want: "--stage-names and --stage-memory are of stages: say with --split N", Usage: true},
		cmdtest.Refusal{Args: []string{model, "--split", "2", "--stage-names", "a,b,c"}, Want: "--stage-names has 3 names for 2 stages", Usage: true},
		cmdtest.Refusal{Args: []string{model, "--split", "9"}, Want: "model.onnx: 9 stages of a model of 2 operators, want at most one each"},
	)
}
