package man

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/bbgen/bbgen/internal/cmd/cmdtest"
	"github.com/bbgen/bbgen/runtime/host/disk/disktest"
)

// tree returns a command with two below it: one with flags and examples, and a hidden one.
func tree() *cobra.Command {
	root := &cobra.Command{Use: "tool", Short: "a tool"}
	cut := &cobra.Command{
		Use: "cut FILE [flags]", Short: "cut a file", Long: "Cut cuts.\n\n  as it is\n\n.dots and \"quotes\" and \\ stay.",
		Example: "  tool cut a", DisableFlagsInUseLine: true, Run: func(*cobra.Command, []string) {},
	}
	cut.Flags().StringP("output", "o", "out", "the `folder` to write")
	cut.Flags().Bool("dry", false, "write nothing")
	hidden := &cobra.Command{Use: "hidden", Hidden: true, Run: func(*cobra.Command, []string) {}}
	root.AddCommand(cut, hidden, Command())
	return root
}

const want = `.TH "TOOL-CUT" 1 "" bbgen "bbgen's commands"
.SH NAME
tool\-cut \- cut a file
.SH SYNOPSIS
.B tool cut FILE [flags]
.SH DESCRIPTION
Cut cuts.
.PP
.nf
  as it is
.fi
.PP
\&.dots and \(dqquotes\(dq and \e stay.
.SH OPTIONS
.TP
.BR "\-\-dry"
write nothing
.TP
.BR "\-h, \-\-help"
help for cut
.TP
.BR "\-o, \-\-output" " \fIfolder\fR"
the folder to write (default out)
.SH EXAMPLES
.nf
  tool cut a
.fi
.SH SEE ALSO
.BR tool (1)
`

// TestMan writes a page for each command that a user sees.
func TestMan(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "man1")
	out, _, err := cmdtest.Run(t, tree(), "man", dir)
	if err != nil || !strings.HasPrefix(out, "wrote ") {
		t.Fatalf("%q, %v", out, err)
	}
	got, err := os.ReadFile(filepath.Join(dir, "tool-cut.1"))
	if err != nil || string(got) != want {
		t.Errorf("the page is\n%s\n%v, want\n%s", got, err, want)
	}
	root, err := os.ReadFile(filepath.Join(dir, "tool.1"))
	if err != nil || !strings.Contains(string(root), ".BR tool\\-cut (1),\n") {
		t.Errorf("the page of the root does not name the other one: %v\n%s", err, root)
	}
	if _, err := os.Stat(filepath.Join(dir, "tool-hidden.1")); err == nil {
		t.Error("a hidden command has a page")
	}
}

// TestRefuses: a file is no folder, and there must be one.
func TestRefuses(t *testing.T) {
	t.Chdir(t.TempDir())
	cmdtest.File(t, ".", "file", "")
	cmdtest.Refuse(t, Command,
		cmdtest.Refusal{Args: nil, Want: "want one DIR, the folder of the pages: there is none", Usage: true},
		cmdtest.Refusal{Args: []string{"file"}, Want: "mkdir file: "},
	)
}

// TestFullDisk: a page that does not fit on the disk is reported, and the previous one stays whole.
func TestFullDisk(t *testing.T) {
	dir := t.TempDir()
	old := cmdtest.File(t, dir, "tool.1", "the previous page")
	d := disktest.New()
	d.Room(10)
	if n, err := write(d, dir, tree()); err == nil || !strings.Contains(err.Error(), "tool.1") {
		t.Errorf("%d pages, %v, want an error that names the page", n, err)
	}
	got, err := os.ReadFile(old)
	if err != nil || string(got) != "the previous page" {
		t.Errorf("the page is %q, %v, want the previous one", got, err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 1 {
		t.Errorf("the folder has %v, %v, want one page", left, err)
	}
}
