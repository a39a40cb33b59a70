// Package train implements bbgen train and bbgen eval, which train and evaluate a model.
package train

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/bbgen/bbgen/internal/cmd/cli"
)

// Command returns the command bbgen train.
func Command() *cobra.Command { return new(job).command() }

func (j *job) command() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "train MODEL --data DIR -o OUT",
		Short: "train a model",
		Long: `Train compiles a model, a loss and an optimizer to a static binary that trains the
model's weights, and runs it on the data: IDX files as MNIST has them, CSV,
Parquet, Arrow, NPY and NPZ arrays, a folder of images for each class, or text. OUT
is the model with the weights of the best validation, or of the end if nothing is
held back.

More inputs of a model than one, and more targets of a loss, are NPY or NPZ arrays
of their names beside x and y: mask_train and weight_train beside x_train.

Ctrl-C writes a checkpoint, from which --resume goes on: the weights in the end
are the same, bit for bit. So does kill -9, and a checkpoint is one training's
at a time. --peer keeps the binary, which trains anywhere; without --data it is
only built.

A model whose file says itself how it is trained (training_info) is trained so,
unless --loss or --optimizer say otherwise.

A step's values lie in one block of memory: --plan prints what lives in it when
most of it is in use, --precision keeps them in half the bytes, and --memory
computes again what does not fit, for the same weights, bit for bit. The plan and
the limit want sizes that are known, as --bind batch=64 makes them.

With --peers N, N processes train together: each computes the gradients of its part of
every batch, and all make the same step with their mean, so that the losses are those
of one process with the whole batch. If one is lost, more than half of them go on. With
--peers FILE there is one on each machine that the file lists, all with the same flags.

With --stages N, the model's layers are cut into N stages of balanced cost, each a process
here (with a FILE, on the machines that it lists). Each batch flows through them in parts,
--micro-batches, in the order 1F1B. The losses are those of one process, up to rounding.

With --replay it trains the model of a recorded case on the case's batches and
writes the losses, the gradients of the first step and the final weights.`,
		Example: `  bbgen train lenet.onnx --data digits --epochs 5 -o trained.onnx
  bbgen train gpt.onnx --data texts --optimizer adamw --schedule cosine,warmup=100 -o trained.onnx
  bbgen train lenet.onnx --data digits --find-lr   # which learning rate to try
  bbgen train lenet.onnx --peer trainer && ./trainer -h
  bbgen train lenet.onnx --data digits --peers 4 -o trained.onnx
  bbgen train lenet.onnx --data digits --stages 2 --micro-batches 8 -o trained.onnx
  bbgen train lenet.onnx --plan --bind batch=64
  bbgen train lenet.onnx --dump train              # the step's graph, before the passes
  bbgen train gpt.onnx --data texts --bind batch=64 --batch 64 --memory 200MB --precision bfloat16 -o trained.onnx
  bbgen train --replay cases/mlp_adam -o out`,
		Args: cli.AtMostOne("MODEL", "an ONNX file"),
	}
	j.cmd = cmd
	j.how.add(cmd.Flags())
	j.how.kernels.Add(cmd)
	j.addPeerFlags()
	dir := cmd.Flags().String("replay", "", "the `folder` of a recorded case")
	cmd.Flags().StringVarP(&j.out, "output", "o", "", "the model to write, or the `file or folder` of a replay")
	cmd.Flags().StringVar(&j.peer, "peer", "", "keep the training program as this `file`")
	j.addGroups(cmd.Flags())
	memory := cmd.Flags().Bool("plan", false, "say what a step keeps where, and train nothing")
	dump := cmd.Flags().String("dump", "", "print the graphs of a step, an evaluation and a forward pass after this `stage`, and train nothing")
	cli.Complete(cmd, "dump", dumps()...)
	completeHow(cmd)
	asJSON := cmd.Flags().Bool("json", false, "with --plan, --find-lr and --folds: as JSON")
	cmd.Flags().BoolVarP(&j.quiet, "quiet", "q", false, "show no progress")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		j.progress = cli.NewProgress(cmd.ErrOrStderr(), j.quiet, false)
		defer j.progress.Done()
		if err := j.checkGroups(); err != nil {
			return err
		}
		switch {
		case *dir != "" && len(args) == 0 && j.out != "":
			return replay(*dir, j.out, j.progress)
		case *dir != "" || len(args) == 0:
			return cli.Usagef("what, and where to? give MODEL --data DIR -o OUT, or --replay CASE_DIR -o OUT")
		case *dump != "":
			return j.print(args[0], *dump)
		case *memory:
			return j.printPlan(args[0], *asJSON)
		case j.tests("find-lr") && (j.out != "" || j.group().count > 0):
			return cli.Usagef("--find-lr writes no model and is for one process: leave -o, --peers and --stages out")
		case j.tests("folds") && (j.out != "" || j.group().count > 0):
			return cli.Usagef("--folds writes no model and is for one process: leave -o, --peers and --stages out")
		case *asJSON && !j.tests("find-lr") && !j.tests("folds"):
			return cli.Usagef("--json is for --plan, --find-lr and --folds: --metrics FILE writes the steps and validations of a training as lines of JSON")
		case j.data == "" && j.peer == "":
			return cli.Usagef("what to learn from? give --data DIR, or --peer FILE to build the trainer alone")
		}
		j.model, j.find = args[0], j.tests("find-lr") || j.tests("folds")
		if err := errors.Join(j.checkOutputs(), j.checkPassed()); err != nil {
			return err
		}
		return j.run()
	}
	return cmd
}

// tests reports whether a flag is given that trains for a test, and writes no model.
func (j *job) tests(flag string) bool { return j.cmd.Flags().Changed(flag) }
