package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"sync"

	"github.com/bbgen/bbgen/internal/bench/section"
	"github.com/bbgen/bbgen/internal/digits"
	"github.com/bbgen/bbgen/runtime/component/dataset"
	"github.com/bbgen/bbgen/runtime/host/launch"
	"github.com/bbgen/bbgen/runtime/host/rusage"
	"github.com/bbgen/bbgen/runtime/host/train"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// model is a network to train.
type model struct {
	name  string
	file  string // below the root of the repository
	axis  int    // of the classes
	batch int    // examples of a rank
	data  func(dir string) (string, error)
}

var models = []*model{
	{"lenet", "examples/train/lenet.onnx", 1, 64, images},
	{"transformer", "examples/chartransformer/transformer.onnx", -1, 32, text},
}

// images writes digits in MNIST's format.
func images(dir string) (string, error) {
	x, y := digits.Render(1, 4096)
	for name, t := range map[string]*tensor.Tensor{
		"train-images-idx3-ubyte": tensor.Of(x, len(y), 28, 28), "train-labels-idx1-ubyte": tensor.Of(y, len(y)),
	} {
		b, err := dataset.AppendIDX(nil, t)
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name), b, 0o666)
		}
		if err != nil {
			return "", err
		}
	}
	return dir, nil
}

// text writes random text of 96 different characters.
func text(dir string) (string, error) {
	r, b := rand.New(rand.NewPCG(1, 2)), make([]byte, 1<<20)
	for i := range b {
		if b[i] = byte(' ' + r.IntN(96)); b[i] == 127 {
			b[i] = '\n'
		}
	}
	name := filepath.Join(dir, "text.txt")
	return name, os.WriteFile(name, b, 0o666)
}

// turns is the number of trainings of each kind, in turn.
const turns = 3

// training trains each model with one rank of one thread, with two, and in two trainings at the same time that do not
// communicate: more than these nothing can reach.
func (b *bench) training() error {
	const ranks = 2
	for _, m := range models {
		if !among(b.models, m.name) {
			continue
		}
		dir := b.dir()
		if err := os.MkdirAll(dir, 0o777); err != nil {
			return err
		}
		data, err := m.data(dir)
		if err != nil {
			return err
		}
		var one, two, apart []speed
		for range turns {
			tell("training %s", m.name)
			x, err := b.charged(1, func() (speed, error) { return b.trained(m, data, 1) })
			if err != nil {
				return err
			}
			y, err := b.charged(ranks, func() (speed, error) { return b.trained(m, data, ranks) })
			if err != nil {
				return err
			}
			z, err := b.charged(ranks, func() (speed, error) { return b.apart(m, data, ranks) })
			if err != nil {
				return err
			}
			one, two, apart = append(one, x), append(two, y), append(apart, z)
		}
		x, y, z := medianOf(one), medianOf(two), medianOf(apart)
		for _, r := range []row{
			{Figure: m.name + ": examples a second", Ranks: 1, Value: x.examples, Unit: "1/s"},
			{Figure: m.name + ": examples a second", Ranks: ranks, Encrypted: true, Value: y.examples, Unit: "1/s"},
			{Figure: m.name + ": examples a second, over those of one rank", Ranks: ranks, Encrypted: true, Value: y.examples / x.examples, Bound: "≥", Bar: 1.85},
			{Figure: m.name + ": examples a second of trainings that do not communicate, over those of one", Ranks: ranks, Value: z.examples / x.examples},
			{Figure: m.name + ": examples a second in the fastest tenth of steps, over those of one rank", Ranks: ranks, Encrypted: true, Value: y.fast / x.fast},
			{Figure: m.name + ": those of trainings that do not communicate, in the fastest tenth of steps, over those of one", Ranks: ranks, Value: z.fast / x.fast},
			{Figure: m.name + ": processor time of a step", Ranks: 1, Value: x.processor, Unit: "ms"},
			{Figure: m.name + ": processor time of a rank's step, over that of one rank", Ranks: ranks, Encrypted: true, Value: y.processor / max(x.processor, 1e-6)},
			{Figure: m.name + ": processor time of a step in trainings that do not communicate, over that of one rank", Ranks: ranks, Value: z.processor / max(x.processor, 1e-6)},
			{Figure: m.name + ": time of sums in a step", Ranks: ranks, Encrypted: true, Value: y.sum, Unit: "ms"},
			{Figure: m.name + ": time that a step waits for sums", Ranks: ranks, Encrypted: true, Value: y.wait, Unit: "ms"},
			{Figure: m.name + ": part of the sums that is hidden", Ranks: ranks, Encrypted: true, Value: max(1-y.wait/max(y.sum, 1e-6), 0), Bound: "≥", Bar: 0.7},
		} {
			if err := b.add(r); err != nil {
				return err
			}
		}
	}
	return nil
}

// speed is the medians over the steps of a training, and the mean processor time of a step of a rank in milliseconds,
// with a share of what a process takes to start and to end. A tenth of the steps have at least fast examples a second:
// where a processor has two speeds, as its neighbors want, that is the higher one, unless it had the lower one all the time.
type speed struct{ examples, fast, sum, wait, processor float64 }

// medianOf returns the median of each field, and the most of fast.
func medianOf(list []speed) speed {
	return speed{
		examples: section.Median(list, func(s speed) float64 { return s.examples }),
		fast:     slices.MaxFunc(list, func(a, b speed) int { return cmp.Compare(a.fast, b.fast) }).fast,
		sum:      section.Median(list, func(s speed) float64 { return s.sum }),
		wait:     section.Median(list, func(s speed) float64 { return s.wait }),

		processor: section.Median(list, func(s speed) float64 { return s.processor }),
	}
}

// charged adds the processor time of the processes of a training with some ranks to what is known of it.
func (b *bench) charged(ranks int, train func() (speed, error)) (speed, error) {
	before := rusage.Children()
	s, err := train()
	s.processor = ms(rusage.Children()-before) / float64(ranks*b.steps)
	return s, err
}

// apart trains a model several times at the same time, each time as one rank, and returns the sum of the speeds.
func (b *bench) apart(m *model, data string, ranks int) (sum speed, err error) {
	speeds, errs := make([]speed, ranks), make([]error, ranks)
	var running sync.WaitGroup
	for rank := range ranks {
		dir := b.dir()
		running.Go(func() { speeds[rank], errs[rank] = b.trainedIn(dir, m, data, rank, 1) })
	}
	running.Wait()
	for _, s := range speeds {
		sum.examples += s.examples
		sum.fast += s.fast
	}
	return sum, errors.Join(errs...)
}

// trained trains a model with some ranks of one thread, each with a batch.
func (b *bench) trained(m *model, data string, ranks int) (speed, error) {
	return b.trainedIn(b.dir(), m, data, 0, ranks)
}

// trainedIn is trained in a folder. A rank alone is the given one.
func (b *bench) trainedIn(dir string, m *model, data string, rank, ranks int) (speed, error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return speed{}, err
	}
	metrics := filepath.Join(dir, "metrics")
	args := []string{
		"-data", data, "-val-split", "0", "-steps", strconv.Itoa(b.steps), "-eval-every", strconv.Itoa(b.steps), "-lr", "0.0001",
		"-batch", strconv.Itoa(ranks * m.batch), "-threads", "1", "-metrics", metrics, "-checkpoint", filepath.Join(dir, "checkpoint"),
	}
	var err error
	if ranks == 1 {
		err = b.solo(m, dir, rank, args)
	} else {
		err = b.share(m, dir, ranks, args)
	}
	if err != nil {
		return speed{}, fmt.Errorf("%s, %d ranks: %w", m.name, ranks, err)
	}
	return speedIn(metrics)
}

// solo runs a training as one process, on the processors of a rank.
func (b *bench) solo(m *model, dir string, rank int, args []string) error {
	bin, err := b.pinned(dir, rank, filepath.Join(b.from, m.name+"-"+alone))
	if err != nil {
		return err
	}
	out, err := exec.Command(bin, args...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	return nil
}

// share runs a training as processes.
func (b *bench) share(m *model, dir string, ranks int, args []string) error {
	f, err := b.startTrainers(m, dir, ranks, args)
	if err != nil {
		return err
	}
	defer f.Stop()
	for ended := 0; ended < ranks; {
		if l := <-f.Lines(); l.Kind == "exited" {
			if ended++; l.Error != "" {
				return errors.New(l.Error)
			}
		}
	}
	return nil
}

// startTrainers starts processes that train together.
func (b *bench) startTrainers(m *model, dir string, ranks int, args []string) (*launch.Fleet, error) {
	o := launch.Options{Dir: dir, Seed: 1, Log: io.Discard}
	args = append([]string{"-await", fmt.Sprintf("trainer=%d", ranks-1), "-log", "none", "--"}, args...)
	for rank := range ranks {
		bin, err := b.pinned(dir, rank, filepath.Join(b.from, m.name+"-"+together))
		if err != nil {
			return nil, err
		}
		o.Peers = append(o.Peers, launch.Peer{Class: "trainer", Rank: rank, Binary: bin, Args: args})
	}
	return launch.Start(o)
}

// warm is the number of warm-up steps.
const warm = 5

// speedIn reads the metrics of a training.
func speedIn(file string) (speed, error) {
	b, err := os.ReadFile(file)
	if err != nil {
		return speed{}, err
	}
	var list []speed
	for line := range bytes.Lines(b) {
		var l train.Line
		if err := json.Unmarshal(line, &l); err != nil {
			return speed{}, err
		}
		if l.Step > warm && l.Loss != nil {
			list = append(list, speed{examples: l.Speed, sum: l.Summed, wait: l.Waited})
		}
	}
	if len(list) == 0 {
		return speed{}, fmt.Errorf("%s: %w: want more than %d steps", file, errNothing, warm)
	}
	s := medianOf(list)
	slices.SortFunc(list, func(a, b speed) int { return cmp.Compare(a.examples, b.examples) })
	s.fast = list[len(list)*9/10].examples
	return s, nil
}
