package main

import (
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/bbgen/bbgen/internal/cmd/cli"
)

// TestExitCode holds that scripts can tell mistakes of the command line from others, in programs that bbgen runs
// as well.
func TestExitCode(t *testing.T) {
	for _, c := range []struct {
		err  error
		want int
	}{
		{nil, 0},
		{errors.New("bad model"), 1},
		{cli.Usagef("bad flag"), 2},
		{cli.Failed{}, 1},
		{fmt.Errorf("train: %w", cli.Failed{Code: 2}), 2},
		{cli.Failed{Code: -1}, 1},
	} {
		if got := exitCode("bbgen", c.err, io.Discard); got != c.want {
			t.Errorf("%v: exit code %d, want %d", c.err, got, c.want)
		}
	}
}
