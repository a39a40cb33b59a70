package train

import (
	"errors"
	"io"
	"testing"

	"github.com/spf13/cobra"

	"github.com/bbgen/bbgen/internal/cmd/cli"
)

// TestExitCode holds that the exit code of the trainer becomes that of bbgen.
func TestExitCode(t *testing.T) {
	cmd := &cobra.Command{}
	cmd.SetOut(io.Discard)
	cmd.SetErr(io.Discard)
	j := &job{cmd: cmd}
	var failed cli.Failed
	if err := j.runPeer("go", []string{"nonsense"}); !errors.As(err, &failed) || failed.Code != 2 {
		t.Errorf("got %v with code %d, want code 2, as go exits for an unknown command", err, failed.Code)
	}
	if err := j.runPeer("go", []string{"version"}); err != nil {
		t.Error(err)
	}
}
