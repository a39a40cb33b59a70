// Package train is the command line of a generated training peer, and its training loop: it reads data, steps,
// validates, writes checkpoints and weights. An interrupted training that is resumed gives the same weights,
// bit for bit. It links no network.
//
// flags.go and train.go have the commands, loop.go the training. Files by subject:
//
//	which examples a step learns from                            batch, sample
//	a step, and the validation between steps                     gradients, exchange, validate
//	what a training continues from                               checkpoint, aside
//	how good a model is                                          eval, quality, confusion, samples
//	a range test of rates, a cross-validation                    findrate, folds
//	peers that train together, and divide the optimizer's state  team, distribute, shard, owners, reshard
//	peers that join, and peers that hold a part of the model     enter, remote
//	what a training tells                                        recorder, metrics, eventfile, progress, describe
package train

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/bbgen/bbgen/runtime/collective"
	"github.com/bbgen/bbgen/runtime/component/dataset"
	"github.com/bbgen/bbgen/runtime/component/schedule"
	"github.com/bbgen/bbgen/runtime/cpu"
	"github.com/bbgen/bbgen/runtime/host/machine"
	"github.com/bbgen/bbgen/runtime/model"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// Options configure a training.
type Options struct {
	Epochs    int                // how often each example is used
	Steps     int                // the number of steps; if positive, it replaces Epochs
	Batch     int                // examples per batch; 0 is the size that the model fixes, or 64
	Rate      float64            // the learning rate; 0 is the program's
	Schedule  *schedule.Schedule // nil is constant
	Seed      uint64             // of the order of examples, of augmentation and of dropout
	Augment   dataset.Augmentation
	Sample    string // "": each example once an epoch; Balanced; otherwise by the weights in the last further column of the data
	EvalEvery int    // steps between validations; 0 is an epoch
	EarlyStop int    // validations without a better loss before it stops; 0 is never

	Checkpoint  string     // the folder of the checkpoint
	Every       int        // steps between checkpoints, in addition to those after each validation
	Resume      bool       // resume from the checkpoint
	Metrics     string     // a file of JSON lines
	TensorBoard string     // a folder for event files
	Recorders   []Recorder // further recorders
	Best        string     // the file for the weights of the best validation
	Output      string     // the file for the final weights

	Group          Group            // the peers that share each batch; nil for a single training
	Codec          collective.Codec // the codec of gradients
	ShardOptimizer bool             // each peer of the group keeps the optimizer's state of a part of the weights
	ShardReplicas  int              // in how many copies besides that; then the loss of so many peers loses no state

	Threads int       // 0: the number of kernel threads
	Stdout  io.Writer // a line for each validation
	Stderr  io.Writer // progress, if it is a terminal

	bucketBytes int // of gradients that peers sum at a time; 0 is the default
}

// ErrInterrupted is returned by [Run] if its context ended and a checkpoint was written.
var ErrInterrupted = errors.New("interrupted")

// errOtherLeads is returned instead if another peer leads: that one has the checkpoint.
var errOtherLeads = fmt.Errorf("%w: the first of the peers has the checkpoint", ErrInterrupted)

// Main trains a program according to the command line, and exits.
func Main(p model.TrainProgram) { os.Exit(Do(p, os.Args[1:], os.Stdout, os.Stderr)) }

// Do is [Main] without exiting: it returns the exit code. Further recorders may have flags.
func Do(p model.TrainProgram, args []string, stdout, stderr io.Writer, more ...Recorder) int {
	return do(context.Background(), nil, p, args, stdout, stderr, more...)
}

// DoUntil is [Do] for a session whose peers may end it: when ctx ends, the training is interrupted.
func DoUntil(ctx context.Context, p model.TrainProgram, args []string, stdout, stderr io.Writer, more ...Recorder) int {
	return do(ctx, nil, p, args, stdout, stderr, more...)
}

// DoIn is [Do] as a peer of a group.
func DoIn(g Group, p model.TrainProgram, args []string, stdout, stderr io.Writer, more ...Recorder) int {
	return do(context.Background(), g, p, args, stdout, stderr, more...)
}

// do trains as a command line says. With other peers, output that is not read any more interrupts the training, too.
func do(ctx context.Context, g Group, p model.TrainProgram, args []string, stdout, stderr io.Writer, more ...Recorder) int {
	others := g != nil || ctx.Done() != nil
	c, err := parse(p, args, stdout, stderr, more...)
	if err == nil {
		err = c.checkPeers(g != nil, others)
	}
	switch {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		return Refuse(p, err, stderr)
	}
	c.Group = g
	ctx, stop := Interruptible(ctx)
	defer stop()
	if c.untilEOF {
		go func() {
			io.Copy(io.Discard, os.Stdin)
			stop()
		}()
	}
	if others {
		stopWhenUnread(os.Stdout, stop)
	}
	err = c.run(ctx, p)
	switch {
	case (c.eval || c.find || c.folds > 0) && isInterrupted(ctx, err): // they have no checkpoint
		fmt.Fprintf(stderr, "%s: interrupted\n", sourceOf(p))
		return InterruptCode(ctx)
	case errors.Is(err, errOtherLeads):
		return InterruptCode(ctx)
	case errors.Is(err, ErrInterrupted):
		// Flags with two dashes also work with bbgen train, which runs programs.
		fmt.Fprintf(stdout, "%v: go on with --checkpoint %s --resume\n", err, c.Checkpoint)
		return InterruptCode(ctx)
	case err != nil:
		fmt.Fprintf(stderr, "%s: %v\n", sourceOf(p), err)
		return 1
	}
	return 0
}

// run opens the data and trains.
func (c *config) run(ctx context.Context, p model.TrainProgram) error {
	set, err := c.open(p)
	if err != nil {
		return err
	}
	m := machine.Read()
	tensor.SetLimit(m.Memory)
	if c.Threads == 0 {
		c.Threads = m.Threads()
	}
	if c.eval {
		return c.evaluate(ctx, p, set)
	}
	if c.find {
		return c.findRate(ctx, p, set)
	}
	if c.folds > 0 {
		return c.crossValidate(ctx, p, set)
	}
	return Run(ctx, p, set, c.Options)
}

// Run trains a program on a set of examples, which may use the caller's own sources. When ctx ends it writes a
// checkpoint and returns [ErrInterrupted].
func Run(ctx context.Context, p model.TrainProgram, set *dataset.Set, opt Options) error {
	if opt.Threads > 0 {
		cpu.SetThreads(opt.Threads)
	}
	if opt.Checkpoint == "" {
		opt.Checkpoint = p.Name + ".checkpoint"
	}
	t, err := newTrainer(p, set, opt)
	if err != nil {
		return err
	}
	defer t.release()
	if _, remote := t.s.(Remote); remote || t.team != nil {
		machine.LeaveRoom(cpu.Threads())
	}
	err = t.run(ctx)
	return errors.Join(err, t.recorders.close(err))
}

// run begins the training, or joins that of the other peers, and trains.
func (t *trainer) run(ctx context.Context) error {
	if t.team != nil {
		if err := t.enter(); err != nil {
			return err
		}
		ctx = t.team.agree(ctx)
	}
	if t.team == nil || !t.team.justJoined {
		if err := t.begin(); err != nil {
			return err
		}
	}
	return t.loop(ctx)
}

// begin brings the training to its initial state, on all peers.
func (t *trainer) begin() error {
	err := t.open()
	if t.team == nil {
		return err
	}
	if err := t.team.agreeToBegin(err); err != nil {
		return err
	}
	return t.join()
}

// open opens the files of the leader.
func (t *trainer) open() error {
	opt := &t.opt
	if err := t.lead(opt.Resume); err != nil {
		return err
	}
	if !t.team.isLeader() {
		return nil
	}
	if opt.Resume {
		if err := t.resume(); err != nil {
			return fmt.Errorf("%s: %w", filepath.Join(opt.Checkpoint, checkpointFile), err)
		}
	}
	var previous string
	if !opt.Resume {
		var err error
		if previous, err = t.setAside(); err != nil {
			return err
		}
	}
	if err := t.openRecorders(opt.Resume, false); err != nil {
		return err
	}
	if previous != "" {
		fmt.Fprintf(opt.Stderr, "the checkpoint of an earlier training is now in %s\n", previous)
	}
	t.introduce()
	return nil
}

// sourceOf returns how messages name a trainer: by the file of its model, as names of graphs say little.
func sourceOf(p model.TrainProgram) string { return cmp.Or(p.Source, p.Name) }
