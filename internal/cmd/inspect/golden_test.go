package inspect

import (
	"strings"
	"testing"

	"github.com/bbgen/bbgen/internal/cmd/cmdtest"
	"github.com/bbgen/bbgen/internal/golden"
)

// TestReports shows what inspect prints for models and programs: the section args has command lines, one a line, whose
// outputs are out/1, out/2, ….
func TestReports(t *testing.T) {
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

// TestRefuses shows inputs of which there is no report.
func TestRefuses(t *testing.T) {
	t.Chdir(t.TempDir())
	model := cmdtest.Model(t, ".", "model.onnx", "module \"m\"\nopset 21\nfunc @main(%x: float32[n]) -> (%y) {\n  %y = Neg(%x) : ?\n}\n")
	names := cmdtest.Model(t, ".", "names.onnx", "module \"m\"\nmeta \"bbgen.classes\" = \"cat\"\nopset 21\nfunc @main(%x: float32[n]) -> (%y) {\n  %y = Neg(%x) : ?\n}\n")
	columns := cmdtest.Model(t, ".", "columns.onnx", "module \"m\"\nmeta \"bbgen.columns\" = \"{}\"\nopset 21\nfunc @main(%x: float32[n]) -> (%y) {\n  %y = Neg(%x) : ?\n}\n")
	text := cmdtest.File(t, ".", "text.onnx", "no model")
	cmdtest.Refuse(t, Command,
		cmdtest.Refusal{Args: nil, Want: "want one INPUT, a model or a program: there is none", Usage: true},
		cmdtest.Refusal{Args: []string{"none.onnx"}, Want: "none.onnx"},
		cmdtest.Refusal{Args: []string{text}, Want: "text.onnx: "},
		cmdtest.Refusal{Args: []string{names}, Want: "bbgen.classes"},
		cmdtest.Refusal{Args: []string{columns}, Want: "bbgen.columns"},
		cmdtest.Refusal{Args: []string{model, "--bind", "m=1"}, Want: `"m"`},
		cmdtest.Refusal{Args: []string{model, "--partitions"}, Want: "model.onnx is a plain model, which one peer runs: say with --split N", Usage: true},
	)
}
