package program_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/host/mem"
	"github.com/bbgen/bbgen/runtime/tensor"

	"github.com/bbgen/bbgen/generated_test/program/federation/parts"
	awaited "github.com/bbgen/bbgen/generated_test/program/federation/peer/awaited/partition"
	repeated "github.com/bbgen/bbgen/generated_test/program/federation/peer/repeated/partition"
	repeater "github.com/bbgen/bbgen/generated_test/program/federation/peer/repeater/partition"
	skipped "github.com/bbgen/bbgen/generated_test/program/federation/peer/skipped/partition"
	skipper "github.com/bbgen/bbgen/generated_test/program/federation/peer/skipper/partition"
	waiter "github.com/bbgen/bbgen/generated_test/program/federation/peer/waiter/partition"
)

// policy is a server of the program federation, with its clients.
type policy struct {
	name   string
	server func(runtime.Env) (*runtime.Partition, error)
	client func(e runtime.Env, trainer parts.Trainer) (*runtime.Partition, error)
}

var policies = []policy{
	{"skip", skipper.Default, func(e runtime.Env, trainer parts.Trainer) (*runtime.Partition, error) {
		c := skipped.DefaultConfig()
		c.Trainer = trainer
		return skipped.Partition(e, c)
	}},
	{"repeat", repeater.Default, func(e runtime.Env, trainer parts.Trainer) (*runtime.Partition, error) {
		c := repeated.DefaultConfig()
		c.Trainer = trainer
		return repeated.Partition(e, c)
	}},
	{"wait", waiter.Default, func(e runtime.Env, trainer parts.Trainer) (*runtime.Partition, error) {
		c := awaited.DefaultConfig()
		c.Trainer = trainer
		return awaited.Partition(e, c)
	}},
}

// federation is a run of a server, peer 0, and some clients in virtual time.
type federation struct {
	clients int
	short   int  // this client answers with one element; 0: none does
	fails   int  // this client's training fails; 0: none does
	forgets bool // clients keep no snapshots
	faults  []mem.Fault
}

// outcome is the events of the server.
type outcome struct {
	rounds []int64 // in the order of their begins
	short  []string
	failed []string
	model  []float32 // the last mean
	ended  time.Duration
}

func (f federation) run(t *testing.T, p policy) *outcome {
	t.Helper()
	ms := int64(time.Millisecond)
	net := mem.New(mem.Config{Seed: 1, Delay: ms, Command: 10 * ms, Persist: ms, Faults: f.faults})
	part := func(create func(runtime.Env) (*runtime.Partition, error)) func() *runtime.Partition {
		return func() *runtime.Partition {
			x, err := create(runtime.Env{})
			if err != nil {
				t.Fatal(err)
			}
			return x
		}
	}
	net.Add(runtime.Config{Durable: true}, part(p.server))
	for i := range f.clients {
		trainer := parts.Trainer{Short: i+1 == f.short, Fails: i+1 == f.fails}
		net.Add(runtime.Config{Rank: i, Durable: !f.forgets}, part(func(e runtime.Env) (*runtime.Partition, error) { return p.client(e, trainer) }))
	}
	out, done := &outcome{}, false
	net.Told = func(i int, e runtime.Event) {
		if i == 0 {
			done = out.told(e) || done
		}
	}
	if ok, err := net.Run(int64(100*time.Hour), func() bool { return done }); err != nil || !ok {
		t.Fatalf("the loop does not end: %v, %+v", err, out)
	}
	out.ended = time.Duration(net.Now())
	return out
}

// told handles an event. It reports whether the loop has ended.
func (o *outcome) told(e runtime.Event) (done bool) {
	switch {
	case e.Kind == runtime.Emitted && e.Name == "round":
		o.rounds = append(o.rounds, tensor.Data[int64](e.Value.(*tensor.Tensor))[0])
	case e.Kind == runtime.Emitted:
		o.model = slices.Clone(tensor.Data[float32](e.Value.(*tensor.Tensor)))
	case e.Kind == runtime.Short:
		o.short = append(o.short, e.Err.Error())
	case e.Kind == runtime.Failed:
		o.failed = append(o.failed, fmt.Sprintf("%v: %v", e.Peer, e.Err))
	case e.Kind == runtime.Published:
		return e.Name == runtime.LoopDone
	}
	return false
}

// after returns the model after a number of rounds with a quorum.
func after(rounds int) (model []float32) {
	for i := range 4 {
		model = append(model, float32(1+i+rounds))
	}
	return model
}

// want compares the rounds that began and the model.
func (o *outcome) want(t *testing.T, model []float32, rounds ...int64) {
	t.Helper()
	if !slices.Equal(o.rounds, rounds) || !slices.Equal(o.model, model) {
		t.Errorf("rounds %v, model %v; want %v, %v\n%s", o.rounds, o.model, rounds, model, strings.Join(append(o.short, o.failed...), "\n"))
	}
}

// A client fails in the first round and returns after 15 s, in the third of the rounds of 10 s without a
// quorum. It continues with its state.
func TestShortRounds(t *testing.T) {
	for i, want := range []struct {
		model  []float32
		rounds []int64
		short  string
	}{
		{after(2), []int64{0, 1, 2, 3}, "is skipped"},
		{after(4), []int64{0, 0, 0, 1, 2, 3}, "is repeated"},
		{after(4), []int64{0, 1, 2, 3}, "waits for its quorum"},
	} {
		t.Run(policies[i].name, func(t *testing.T) {
			f := federation{clients: 2, faults: []mem.Fault{{At: 8e6, For: 15e9, Kind: mem.Crash, Node: 2}}}
			o := f.run(t, policies[i])
			o.want(t, want.model, want.rounds...)
			for _, s := range o.short {
				if !strings.Contains(s, want.short) {
					t.Errorf("%s; want %s", s, want.short)
				}
			}
			if len(o.short) == 0 {
				t.Error("a round without a quorum is not reported")
			}
		})
	}
}

// A round that waits ends when it has its quorum, however late that is.
func TestWaitsLong(t *testing.T) {
	f := federation{clients: 2, faults: []mem.Fault{{At: 8e6, For: int64(50 * time.Hour), Kind: mem.Crash, Node: 2}}}
	o := f.run(t, policies[2])
	o.want(t, after(4), 0, 1, 2, 3)
	if o.ended < 50*time.Hour || o.ended > 51*time.Hour {
		t.Errorf("it ends after %v", o.ended)
	}
}

// A client without snapshots forgets acknowledged messages when it is restarted. The round is short as soon
// as it is back. With the policy to wait it is repeated.
func TestForgottenRound(t *testing.T) {
	for i, rounds := range [][]int64{{0, 1, 2, 3}, {0, 0, 1, 2, 3}, {0, 0, 1, 2, 3}} {
		t.Run(policies[i].name, func(t *testing.T) {
			f := federation{clients: 2, forgets: true, faults: []mem.Fault{{At: 8e6, For: 1e9, Kind: mem.Crash, Node: 2}}}
			o := f.run(t, policies[i])
			o.want(t, after(4-(5-len(rounds))), rounds...)
			if len(o.short) != 1 || !strings.Contains(o.short[0], "has lost the request") {
				t.Errorf("got the messages %q", o.short)
			}
			if o.ended > 5*time.Second {
				t.Errorf("it ends after %v: a peer has waited for a deadline", o.ended)
			}
		})
	}
}

// The first client to answer sends another shape than the model's, and is refused by name. It does not count
// for the quorum: the round waits for the third client, which is late.
func TestWrongShape(t *testing.T) {
	for i, rounds := range [][]int64{{0, 1, 2, 3}, {0, 1, 2, 3}, {0, 1, 2, 3}} {
		t.Run(policies[i].name, func(t *testing.T) {
			f := federation{clients: 3, short: 1, faults: []mem.Fault{
				{For: 1e9, Kind: mem.Crash, Node: 2}, {For: 5e9, Kind: mem.Crash, Node: 3},
			}}
			o := f.run(t, policies[i])
			o.want(t, after(4), rounds...)
			if len(o.failed) != 4 {
				t.Errorf("it was left out %d times, want 4: %q", len(o.failed), o.failed)
			}
			for _, s := range o.failed {
				if !strings.HasPrefix(s, mem.PeerID(1).String()+": ") || !strings.Contains(s, "the shape is [1], want the model's, [4]") {
					t.Error(s)
				}
			}
		})
	}
}

// within is the deadline of rounds.
const within = 10 * time.Second

// A client whose training fails tells the server, which names it in each round and does not wait for it.
func TestFailedClient(t *testing.T) {
	for _, p := range policies {
		t.Run(p.name, func(t *testing.T) {
			o := federation{clients: 3, fails: 2}.run(t, p)
			o.want(t, after(4), 0, 1, 2, 3)
			if len(o.failed) != 4 {
				t.Errorf("it was left out %d times, want 4: %q", len(o.failed), o.failed)
			}
			for _, s := range o.failed {
				if !strings.HasPrefix(s, mem.PeerID(2).String()+": ") || !strings.Contains(s, "its block failed: ") || !strings.Contains(s, "no space left on device") {
					t.Error(s)
				}
			}
			if o.ended > within/2 {
				t.Errorf("it ends after %v: a round has waited for its deadline", o.ended)
			}
		})
	}
}

// With a client too few, each round is short at once.
func TestFailedQuorum(t *testing.T) {
	o := federation{clients: 2, fails: 1}.run(t, policies[0])
	o.want(t, nil, 0, 1, 2, 3) // no round has a mean
	for _, s := range o.short {
		if !strings.Contains(s, mem.PeerID(1).String()+": ") || !strings.Contains(s, "no space left on device") {
			t.Error(s)
		}
	}
	if len(o.short) != 4 || o.ended > 3*within {
		t.Errorf("%d of 4 rounds are short after %v: %q", len(o.short), o.ended, o.short)
	}
}
