package cmdtest

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/bbgen/bbgen/internal/cmd/cli"
	"github.com/bbgen/bbgen/internal/failtest"
)

// command returns a command that prints its arguments, and fails for some of them.
func command() *cobra.Command {
	return &cobra.Command{Use: "say", RunE: func(c *cobra.Command, args []string) error {
		fmt.Fprint(c.OutOrStdout(), "out", args)
		fmt.Fprint(c.ErrOrStderr(), "err")
		switch strings.Join(args, " ") {
		case "bad file":
			return errors.New("the file is bad")
		case "bad usage":
			return cli.Usagef("the usage is bad")
		}
		return nil
	}}
}

func TestRun(t *testing.T) {
	for _, args := range [][]string{nil, {"a", "b"}} {
		out, messages, err := Run(t, command(), args...)
		if want := fmt.Sprint("out", append([]string{}, args...)); out != want || messages != "err" || err != nil {
			t.Errorf("%q: it prints %q and %q, %v", args, out, messages, err)
		}
	}
}

// TestRefuse: each command line that is accepted, refused for another reason or with another exit status fails the test.
func TestRefuse(t *testing.T) {
	file, usage := []string{"bad", "file"}, []string{"bad", "usage"}
	for _, c := range []struct {
		list []Refusal
		want int
	}{
		{nil, 0},
		{[]Refusal{{Args: file, Want: "file is bad"}, {Args: usage, Want: "usage is bad", Usage: true}}, 0},
		{[]Refusal{{Args: []string{"good"}, Want: ""}}, 1},
		{[]Refusal{{Args: file, Want: "another reason"}}, 1},
		{[]Refusal{{Args: file, Want: "file", Usage: true}, {Args: usage, Want: "usage"}}, 2},
	} {
		r := failtest.Run(t, func(r testing.TB) { Refuse(r, command, c.list...) })
		if len(r.Errors) != c.want {
			t.Errorf("%+v: %q, want %d failures", c.list, r.Errors, c.want)
		}
	}
}
