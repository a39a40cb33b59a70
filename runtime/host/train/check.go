package train

import (
	"errors"
	"fmt"
	"io"

	"github.com/bbgen/bbgen/runtime/collective"
	"github.com/bbgen/bbgen/runtime/model"
)

// Check returns an error if a program does not train with a command line, as far as the flags alone tell: before the
// program is built, or waits for others. Peers is how many processes train together, 0 for one alone; if that is not known
// yet it is 1. For a request for help the error is [flag.ErrHelp].
func Check(p model.TrainProgram, peers int, args []string, more ...Recorder) error {
	c, err := parse(p, args, io.Discard, io.Discard, more...)
	if err != nil {
		return err
	}
	if c.Batch > 0 && c.Batch < peers {
		return fmt.Errorf("--batch is %d, want at least one example for each of %d peers", c.Batch, peers)
	}
	return c.checkPeers(peers > 0, peers > 0)
}

// checkPeers returns an error for flags that say nothing to a training alone or to several: that share each batch in a
// group, or have a part of the model each.
func (c *config) checkPeers(group, several bool) error {
	switch {
	case !group && c.Codec != collective.Exact:
		return errors.New("--codec is for gradients that several peers send each other, and this is one training alone")
	case !group && c.ShardOptimizer:
		return errors.New("--shard-optimizer is for several peers that divide the optimizer's state, and this is one training alone")
	case several && (c.find || c.folds > 0):
		return errors.New("--find-lr and --folds are for one process alone")
	}
	return nil
}

// Refuse reports a command line that is wrong, and returns the exit code.
func Refuse(p model.TrainProgram, err error, stderr io.Writer) int {
	fmt.Fprintf(stderr, "%s: %v\n-h lists all flags.\n", sourceOf(p), err)
	return 2
}
