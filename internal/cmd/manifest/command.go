package manifest

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/bbgen/bbgen/internal/cmd/cli"
)

// Command returns the command bbgen generate, which calls execute for each step.
func Command(execute func(args []string) error) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "generate [FILE]",
		Short: "make all that " + Name + " lists",
		Long: `Generate reads ` + Name + `, or FILE, and does what it lists, one entry after the
other. An entry is a verb with its input, and the verb's flags by name; a list gives
a flag several times, and a map stands for NAME=VALUE. Verbs are ` + strings.Join(verbs, ", ") + `;
"generate" is what bbgen does without a verb. Paths are relative to the file.

  - train: model.onnx
    data: data.csv
    epochs: 100
    output: trained.onnx
  - generate: trained.onnx
    output: model
    package: model
    bind: {batch: 1}`,
		Example: `  go tool bbgen generate
  //go:generate go tool bbgen generate`,
		Args: cli.AtMostOne("FILE", "such as "+Name),
	}
	verbose := cmd.Flags().BoolP("verbose", "v", false, "print each command line")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		file := Name
		if len(args) == 1 {
			file = args[0]
		}
		steps, err := read(file)
		if err != nil {
			return err
		}
		if err := os.Chdir(filepath.Dir(file)); err != nil {
			return err
		}
		for _, s := range steps {
			if *verbose {
				fmt.Fprintln(cmd.ErrOrStderr(), "bbgen", strings.Join(s.Args, " "))
			}
			if err := execute(s.Args); err != nil {
				return fmt.Errorf("%s:%d: %w", file, s.Line, err)
			}
		}
		return nil
	}
	return cmd
}

// read reads the steps of a file.
func read(file string) ([]Step, error) {
	if ext := filepath.Ext(file); ext != ".yaml" && ext != ".yml" {
		return nil, cli.Usagef("%s is no file of YAML; \"bbgen %[1]s -o DIR\" generates the code of one model", file)
	}
	b, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, cli.Usagef("there is no %s: \"bbgen generate -h\" shows one", file)
	}
	if err != nil {
		return nil, err
	}
	steps, err := Parse(b)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return steps, nil
}
