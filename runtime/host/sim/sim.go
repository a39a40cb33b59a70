// Package sim is the main of a distributed program that runs in one process: all peers on package mem, in
// virtual time, on a network with faults according to flags. The same flags give the same run, bit for bit.
package sim

import (
	"context"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/classes"
	"github.com/bbgen/bbgen/runtime/host/chaos"
	"github.com/bbgen/bbgen/runtime/host/feed"
	"github.com/bbgen/bbgen/runtime/host/mem"
	"github.com/bbgen/bbgen/runtime/wire"
)

// Program describes a program. A generated main makes it.
type Program struct {
	Name    string
	Classes []Class
}

// Class is the peers of one class.
type Class struct {
	Name      string
	Partition func(runtime.Env) (*runtime.Partition, error)
}

// Main runs the program and exits.
func Main(p Program) {
	err := Do(p, os.Args[1:], os.Stdout, os.Stderr)
	if err != nil && err != flag.ErrHelp {
		fmt.Fprintf(os.Stderr, "%s: %v\n", p.Name, err)
		os.Exit(1)
	}
}

// options are the command line.
type options struct {
	count   map[string]int // peers of each class in -n
	classes []string       // all classes
	ranks   [][]int        // of their peers
	seed    uint64
	data    string
	chaos   chaos.Spec
	until   time.Duration
	in      []string // CLASS.NAME=FILE
	out     string

	measure bool
}

func parse(p Program, args []string, stderr io.Writer) (options, error) {
	o := options{count: map[string]int{}}
	for _, c := range p.Classes {
		o.classes = append(o.classes, c.Name)
	}
	f := flag.NewFlagSet(p.Name, flag.ContinueOnError)
	f.SetOutput(stderr)
	f.Func("n", "how many `peers` of each class there are, as in server=1,client=8 (default 1)", o.setCount)
	f.Uint64Var(&o.seed, "seed", 1, "of all randomness")
	f.StringVar(&o.data, "data", "", "`folder` of the peers' data")
	f.Var(&o.chaos, "chaos", "what goes wrong, as in `kill=20%,loss=5%`,duplicate=1%,corrupt=1%,delay=10ms,faults=3")
	f.DurationVar(&o.until, "for", 0, "how much virtual `time` passes (default: until all rounds are done, a day at most)")
	f.Func("in", "begin an execution with the tensor in a file, .npy or .pb, `CLASS.NAME=FILE`, or with peers, as in front.to=@worker-0; several times: the peers of the class take turns", func(s string) error {
		o.in = append(o.in, s)
		return nil
	})
	f.StringVar(&o.out, "out", "", "write values that the program gives to its host to `folder`, as PEER/NAME-NUMBER.npy")
	f.BoolVar(&o.measure, "measure", false, "say at the end what the run took: seconds of the clock, seconds of processors, bytes of memory")
	if err := f.Parse(args); err != nil {
		return o, err
	}
	if f.NArg() > 0 {
		return o, fmt.Errorf("argument %q, want flags only", f.Arg(0))
	}
	o.ranks = classes.Ranks(o.classes, o.count)
	if err := o.checkInputs(); err != nil {
		return o, err
	}
	if o.chaos.Delay == 0 {
		o.chaos.Delay = time.Millisecond
	}
	return o, nil
}

// durable reports whether peers must survive faults.
func (o *options) durable() bool { return o.chaos.Faults > 0 || o.chaos.Kill > 0 }

// network returns the configuration of the network.
func (o *options) network() mem.Config {
	c := &o.chaos
	config := mem.Config{Seed: o.seed, Delay: int64(c.Delay), Jitter: int64(c.Delay) / 2, Loss: c.Loss, Duplicate: c.Duplicate, Corrupt: c.Corrupt,
		Command: 1e6, Persist: 1e6}
	if c.Faults > 0 {
		total := 0
		for _, r := range o.ranks {
			total += len(r)
		}
		config.Faults = mem.Faults(rand.New(rand.NewPCG(o.seed, 1)), c.Faults, total, int64(10*time.Second))
	}
	return config
}

// setCount parses server=1,client=8.
func (o *options) setCount(s string) error {
	for _, part := range strings.Split(s, ",") {
		class, number, _ := strings.Cut(part, "=")
		n, err := strconv.Atoi(number)
		if !slices.Contains(o.classes, class) || err != nil || n < 0 || n > 1<<20 {
			return fmt.Errorf("%q: want CLASS=NUMBER, with one of the classes %s", part, strings.Join(slices.Sorted(slices.Values(o.classes)), ", "))
		}
		o.count[class] = n
	}
	return nil
}

// Do is [Main] without exiting. It writes a line of JSON for each output of a peer, for values that peers still
// wait for if the program has not completed, and for the run.
func Do(p Program, args []string, stdout, stderr io.Writer) error {
	o, err := parse(p, args, stderr)
	if err != nil {
		return err
	}
	r := &run{options: o, out: stdout, began: time.Now(), net: mem.New(o.network()), names: map[wire.PeerID]string{}}
	if err := r.add(p); err != nil {
		return err
	}
	if err := r.open(); err != nil {
		return err
	}
	r.net.Told = r.told
	if o.chaos.Kill > 0 {
		r.kills(o.chaos.Kill)
	}
	until, over := o.until, func() bool { return false }
	if until == 0 {
		until, over = 24*time.Hour, func() bool { return r.err != nil || r.over() }
	}
	if _, err := r.net.Run(int64(until), over); err != nil {
		return err
	}
	if !r.done() {
		r.stuck()
	}
	r.end()
	return r.err
}

// add adds all peers.
func (r *run) add(p Program) error {
	o := &r.options
	var data fs.FS
	if r.options.data != "" {
		data = os.DirFS(r.options.data)
	}
	for i, c := range p.Classes {
		for k, rank := range o.ranks[i] {
			env := runtime.Env{Context: context.Background(), Data: data, Seed: r.options.seed, Class: c.Name, Rank: rank,
				Random: mem.Random(r.options.seed, len(r.peers)), Identity: mem.Identity(len(r.peers))}
			first, err := c.Partition(env)
			if err != nil {
				return fmt.Errorf("%s %d: %w", c.Name, rank, err)
			}
			p := peer{class: c.Name, rank: rank}
			if p.feed, err = feed.New(first, o.inputsOf(c.Name, k, len(o.ranks[i]))); err != nil {
				return fmt.Errorf("%s %d: %w", c.Name, rank, err)
			}
			p.ungiven, p.begins = p.feed.Ungiven(first), p.feed.Any() || beginsByItself(first)
			r.names[mem.PeerID(len(r.peers))] = p.name()
			r.peers = append(r.peers, p)
			r.net.Add(runtime.Config{Rank: rank, Seed: r.options.seed, Durable: r.options.durable()}, func() *runtime.Partition {
				if part := first; part != nil {
					first = nil
					return part
				}
				part, err := c.Partition(env)
				if err != nil {
					panic(fmt.Sprintf("%s %d could be made before, and now: %v", c.Name, rank, err))
				}
				return part
			})
		}
	}
	return nil
}

// beginsByItself reports whether a module of a partition begins without another peer and without its host.
func beginsByItself(p *runtime.Partition) bool {
	return slices.ContainsFunc(p.Modules, func(m runtime.Module) bool {
		return m.Start || m.Every > 0 || len(m.On) > 0 || m.Bootstrap
	})
}
