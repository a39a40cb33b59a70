package manifest

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/bbgen/bbgen/internal/cmd/cmdtest"
)

const twoSteps = "- train: model.onnx\n  output: trained.onnx\n\n- generate: trained.onnx\n  output: model\n"

// TestCommand: the entries of a file are executed in their order, in the folder of the file.
func TestCommand(t *testing.T) {
	for _, c := range []struct {
		name, folder string
		args         []string
	}{
		{"the file of the working folder", ".", nil},
		{"a file of another folder", "models", []string{"models/all.yml"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			if err := os.MkdirAll(c.folder, 0o777); err != nil {
				t.Fatal(err)
			}
			file := Name
			if c.args != nil {
				file = c.args[0]
			}
			cmdtest.File(t, ".", file, twoSteps)
			want, err := filepath.Abs(c.folder)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			_, messages, err := cmdtest.Run(t, Command(func(args []string) error {
				if dir, err := os.Getwd(); err != nil || dir != want {
					t.Errorf("executed in %s, %v, want %s", dir, err, want)
				}
				got = append(got, strings.Join(args, " "))
				return nil
			}), append(c.args, "--verbose")...)
			if err != nil {
				t.Fatal(err)
			}
			if want := []string{"train model.onnx --output=trained.onnx", "trained.onnx --output=model"}; !slices.Equal(got, want) {
				t.Errorf("executed %q, want %q", got, want)
			}
			if want := "bbgen " + got[0] + "\nbbgen " + got[1] + "\n"; messages != want {
				t.Errorf("told %q, want %q", messages, want)
			}
		})
	}
}

// TestCommandStops: the error of an entry names its line, and entries behind it are not executed.
func TestCommandStops(t *testing.T) {
	t.Chdir(t.TempDir())
	cmdtest.File(t, ".", Name, twoSteps)
	failed, calls := errors.New("no such model"), 0
	_, messages, err := cmdtest.Run(t, Command(func([]string) error { calls++; return failed }))
	if !errors.Is(err, failed) || err.Error() != "bbgen.yaml:1: no such model" || calls != 1 || messages != "" {
		t.Errorf("got %v after %d calls, told %q, want the error of line 1 after one call", err, calls, messages)
	}
}

// TestCommandRefuses shows files that are not read, of which nothing is executed.
func TestCommandRefuses(t *testing.T) {
	t.Chdir(t.TempDir())
	cmdtest.File(t, ".", "bad.yaml", "- generate: [a]\n")
	cmdtest.File(t, ".", "late.yaml", twoSteps+"- output: x\n")
	if err := os.Mkdir("folder.yaml", 0o777); err != nil {
		t.Fatal(err)
	}
	command := func() *cobra.Command {
		return Command(func(args []string) error {
			t.Errorf("executed %q", args)
			return nil
		})
	}
	cmdtest.Refuse(t, command,
		cmdtest.Refusal{Args: nil, Want: `there is no bbgen.yaml: "bbgen generate -h" shows one`, Usage: true},
		cmdtest.Refusal{Args: []string{"model.onnx"}, Want: `model.onnx is no file of YAML; "bbgen model.onnx -o DIR" generates the code of one model`, Usage: true},
		cmdtest.Refusal{Args: []string{"a.yaml", "b.yaml"}, Want: "want one FILE, such as bbgen.yaml: there are a.yaml, b.yaml", Usage: true},
		cmdtest.Refusal{Args: []string{"bad.yaml"}, Want: "bad.yaml: line 1: generate: want the name of a file or a folder"},
		cmdtest.Refusal{Args: []string{"late.yaml"}, Want: "late.yaml: line 6: the entry has no verb"},
		cmdtest.Refusal{Args: []string{"folder.yaml"}, Want: "folder.yaml"},
	)
}
