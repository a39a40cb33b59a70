// Package build implements bbgen build, which makes a binary of a model in one step.
package build

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/bbgen/bbgen"
	"github.com/bbgen/bbgen/codegen"
	"github.com/bbgen/bbgen/internal/cmd/cli"
	"github.com/bbgen/bbgen/internal/cmd/generate"
	"github.com/bbgen/bbgen/internal/project"
	"github.com/bbgen/bbgen/ir/onnx"
	"github.com/bbgen/bbgen/runtime/host/disk"
)

// Command returns the command bbgen build.
func Command() *cobra.Command {
	var flags generate.Flags
	cmd := &cobra.Command{
		Use:   "build INPUT -o BIN",
		Short: "compile a model to a static binary",
		Long: `Build generates the code of a model in a temporary folder and builds it with the
Go toolchain into one static binary. GOOS and GOARCH choose the machine that it
is for.`,
		Example: `  bbgen build digits.onnx -o digits
  GOOS=linux GOARCH=arm64 bbgen build digits.onnx -o digits-arm64`,
		Args: cli.One("INPUT", "an ONNX file"),
	}
	flags.Add(cmd)
	out := cmd.Flags().StringP("output", "o", "", "the `file` to write")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if *out == "" {
			return cli.Usagef("where to? give -o BIN")
		}
		if err := cli.CheckBinary("-o", *out, args[0]); err != nil {
			return err
		}
		p := cli.NewProgress(cmd.ErrOrStderr(), flags.Quiet, flags.Verbose)
		defer p.Done()
		c, err := flags.Config(p)
		if err != nil {
			return err
		}
		r, err := binary(args[0], *out, c, p)
		if err != nil {
			return err
		}
		p.Done()
		flags.Warn(cmd.ErrOrStderr(), r)
		return nil
	}
	return cmd
}

// binary generates code into a temporary folder, builds it, and moves the result.
func binary(input, bin string, c bbgen.Config, p *cli.Progress) (*bbgen.Result, error) {
	tmp, remove, err := project.TempDir("", "bbgen-build-*")
	if err != nil {
		return nil, err
	}
	defer remove()
	home := project.Home{Dir: filepath.Join(tmp, "peer"), Import: "bbgen.local/peer", Own: true}
	m, err := onnx.ReadFile(input)
	if err != nil {
		return nil, err
	}
	c.Done("read")
	c.Source, c.Import, c.Golden = filepath.Base(input), home.Import, project.TestData(input)
	r, err := bbgen.Compile(m, c)
	if err != nil {
		return nil, err
	}
	if err := project.Write(home, r.Files); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(filepath.Dir(bin), 0o777); err != nil {
		return nil, err
	}
	p.Stage("go build")
	if err := project.GoBuild(home.Dir, bin); err != nil {
		return nil, err
	}
	return r, beside(r.Files, bin, c.Sidecar, p)
}

// beside writes the weights to a file beside the binary if that is requested or if they are too large to
// embed.
func beside(files []codegen.File, bin string, sidecar bool, p *cli.Progress) error {
	i := slices.IndexFunc(files, func(f codegen.File) bool { return f.Path == "model/weights.bin" })
	if i < 0 || !sidecar && files[i].Len() <= bbgen.MaxEmbedded {
		return nil
	}
	name := bin + ".weights"
	if !sidecar {
		p.Note(fmt.Sprintf("%d MiB of weights are too many for a binary: they stay in %s, which belongs beside it", files[i].Len()>>20, name))
	}
	return disk.ReplaceParts(name, 0o666, files[i].Pieces()...)
}
