// Package view implements bbgen view, which shows a model or a program as a page.
package view

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/bbgen/bbgen"
	"github.com/bbgen/bbgen/artifact"
	"github.com/bbgen/bbgen/internal/cmd/cli"
	"github.com/bbgen/bbgen/internal/cmd/cut"
	"github.com/bbgen/bbgen/internal/cmd/kernels"
	"github.com/bbgen/bbgen/internal/record"
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/train"
	"github.com/bbgen/bbgen/partitioner"
	"github.com/bbgen/bbgen/runtime/host/disk"
	"github.com/bbgen/bbgen/view"
)

// flags are the flags of the command.
type flags struct {
	out, listen     string
	open            bool
	diff, profile   string
	loss, optimizer string
	bind            map[string]int
	cut             cut.Flags
	kernels         kernels.Flags
	peers           cut.Limit
}

// Command returns the command bbgen view.
func Command() *cobra.Command {
	f := new(flags)
	cmd := &cobra.Command{
		Use:   "view INPUT",
		Short: "show a model, its training step or a distributed program as a page",
		Long: `View compiles INPUT and makes a page of what happens to it: the graph as the file has
it and after each pass that changed it, side by side; functions and layers as groups
that open; attributes, types, constants, work and the generated Go of each node; where
values live in memory over time; and of a program its classes, edges and blocks.

The page is served on loopback until Ctrl-C. With -o it is one file that needs no network.`,
		Example: `  bbgen view digits.onnx                              # serves the page and opens a browser
  bbgen view digits.onnx -o digits.html               # one file to keep, or to send
  bbgen view digits.onnx --loss cross_entropy         # a step of training
  bbgen view digits.onnx --profile profile.json       # what "bench -profile -json" has measured
  bbgen view old.onnx --diff new.onnx -o diff.html
  bbgen view ./fedavg --open=false                    # the Go package of a program`,
		Args: cli.One("INPUT", "a model or a program"),
	}
	cmd.Flags().StringVarP(&f.out, "output", "o", "", "write the page to this `file`")
	cmd.Flags().StringVar(&f.listen, "listen", "127.0.0.1:0", "serve at this `address` of loopback")
	cmd.Flags().BoolVar(&f.open, "open", true, "open a browser")
	cmd.Flags().StringVar(&f.diff, "diff", "", "another `model`, to compare with")
	cmd.Flags().StringVar(&f.profile, "profile", "", "a `file` with the times of nodes, as \"bench -profile -json\" prints them")
	cmd.Flags().StringVar(&f.loss, "loss", "", "show a step of training, with this loss: the `name` that bbgen train takes")
	cmd.Flags().StringVar(&f.optimizer, "optimizer", "adamw", "for --loss: the `name` of the optimizer")
	cli.Bind(cmd.Flags(), &f.bind)
	f.cut.Add(cmd)
	f.kernels.Add(cmd)
	cli.Sizes(cmd.Flags(), &f.peers.Peers, "peers", "the `numbers` of peers of each class of a program, as in client=8 (default 1)")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := cli.CheckOutput("-o", f.out, args[0], f.diff, f.profile); err != nil {
			return err
		}
		page, err := f.page(cmd.Context(), args[0])
		if err != nil {
			return err
		}
		html, err := page.HTML()
		if err != nil {
			return err
		}
		if f.out != "" {
			return disk.Replace(f.out, html, 0o666)
		}
		return f.serve(cmd, html)
	}
	return cmd
}

// page makes the page of the input, and of the model that it is compared with.
func (f *flags) page(ctx context.Context, input string) (*view.Page, error) {
	if f.diff != "" && f.profile != "" {
		return nil, cli.Usagef("--profile and --diff do not go together")
	}
	files := []string{input}
	if f.diff != "" {
		files = append(files, f.diff)
	}
	page := new(view.Page)
	for _, file := range files {
		s, err := f.subject(ctx, file)
		if err != nil {
			return nil, err
		}
		page.Subjects = append(page.Subjects, s)
	}
	return page, nil
}

// subject compiles one input.
func (f *flags) subject(ctx context.Context, file string) (*view.Subject, error) {
	in, err := record.Read(ctx, file)
	if err != nil {
		return nil, err
	}
	opt := view.Options{Title: in.Source, Sizes: f.sizes()}
	opt.Config = bbgen.Config{Source: in.Source, Bind: f.bind}
	if err := f.configure(&opt.Config, in.Module); err != nil {
		return nil, err
	}
	if opt.Profile, err = f.readProfile(); err != nil {
		return nil, err
	}
	opt.Cost = func(p *partitioner.Program) *partitioner.Cost {
		c, _ := f.peers.Cost(&f.cut, p, in.Dir)
		return c
	}
	return view.Make(in.Module, opt), nil
}

// sizes returns the assumed sizes of symbols that --bind does not fix.
func (f *flags) sizes() map[string]int { return f.cut.Assume }

// configure configures the compilation of a module: a model, a training step or a program.
func (f *flags) configure(c *bbgen.Config, m *ir.Module) error {
	split, err := f.cut.Split()
	if err != nil {
		return err
	}
	if c.Options, err = f.kernels.Options(); err != nil {
		return err
	}
	switch program := split != nil || artifact.IsProgram(m); {
	case program && f.loss != "":
		return cli.Usagef("--loss is for a model that one peer trains, and %s is cut", m.File)
	case program && f.profile != "":
		return cli.Usagef("--profile is for a model that one peer runs, and %s is cut", m.File)
	case program:
		c.Cut = &bbgen.Cut{Split: split, Unbound: true}
	case f.loss != "" && !slices.Contains(train.LossNames(), f.loss):
		return cli.Usagef("--loss: no loss %q; there are: %s", f.loss, strings.Join(train.LossNames(), ", "))
	case f.loss != "":
		o, err := train.NewOptimizer(f.optimizer)
		if err != nil {
			return cli.Usagef("--optimizer: %w", err)
		}
		c.Train = &train.Options{Loss: train.Loss{Name: f.loss, Axis: 1, Reduction: "mean"}, Optimizer: o, Accumulate: 1}
	}
	return nil
}

// readProfile reads measurements, or returns nil if there are none.
func (f *flags) readProfile() (*view.Profile, error) {
	if f.profile == "" {
		return nil, nil
	}
	b, err := os.ReadFile(f.profile)
	if err != nil {
		return nil, fmt.Errorf("--profile: %w", err)
	}
	return view.ParseProfile(filepath.Base(f.profile), b)
}

// url returns the address of the page for a browser.
func url(address string) string { return fmt.Sprintf("http://%s/", address) }
