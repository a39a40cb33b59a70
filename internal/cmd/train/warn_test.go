package train

import (
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/bbgen/bbgen"
	"github.com/bbgen/bbgen/internal/cmd/cli"
)

// TestWarn: what a model declares wrongly is told, also if no progress is shown, and nothing is told of other models.
func TestWarn(t *testing.T) {
	for want, r := range map[string]*bbgen.Result{
		"": {},
		"bbgen: warning: output \"y\" is declared wrongly\n": declared(`output "y" is declared wrongly`),
	} {
		var w strings.Builder
		cmd := new(cobra.Command)
		cmd.SetErr(&w)
		j := &job{cmd: cmd, progress: cli.NewProgress(&w, true, false)}
		if j.warn(r); w.String() != want {
			t.Errorf("told %q, want %q", &w, want)
		}
	}
}

// declared returns the result of a compilation with a warning.
func declared(warning string) *bbgen.Result {
	r := new(bbgen.Result)
	r.Warnings = []string{warning}
	return r
}
