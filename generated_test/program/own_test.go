package program_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/bbgen/bbgen/generated_test/program/own"
	"github.com/bbgen/bbgen/generated_test/program/own/parts"
	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/host/mem"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/values"

	ownStation "github.com/bbgen/bbgen/generated_test/program/own/peer/station/partition"
	ownThermometer "github.com/bbgen/bbgen/generated_test/program/own/peer/thermometer/partition"
)

// owned is the events of a run of the program own.
type owned struct {
	texts     map[uint64]string        // by the round
	summaries map[uint64]parts.Summary // as the host received them
	held      int                      // readings that thermometers emitted to their hosts
	moments   map[int64]int            // by seconds: the number of thermometers that received them
	errors    map[string]bool          // refusals and failures, by the peer that reports them
}

// ownRun runs the program own with five thermometers:
// rank 3 writes invalid data, rank 4 more than the limit.
func ownRun(t *testing.T, seed uint64, faults []mem.Fault) *owned {
	t.Helper()
	ms := int64(time.Millisecond)
	net := mem.New(mem.Config{Seed: seed, Delay: ms, Jitter: ms, Command: ms, Persist: ms, Faults: faults, Verify: true})
	for i := range 6 {
		class, create := "thermometer", ownThermometer.Default
		if i == 0 {
			class, create = "station", ownStation.Default
		}
		env := runtime.Env{Class: class, Rank: max(i-1, 0), Seed: seed, Random: mem.Random(seed, i), Identity: mem.Identity(i)}
		net.Add(runtime.Config{Rank: env.Rank, Durable: true}, func() *runtime.Partition { return made(t, create, env) })
	}
	o := &owned{texts: map[uint64]string{}, summaries: map[uint64]parts.Summary{}, moments: map[int64]int{}, errors: map[string]bool{}}
	done := false
	net.Told = func(i int, e runtime.Event) {
		switch {
		case e.Kind == runtime.Emitted && e.Name == "text":
			o.texts[e.Exec.Number] = e.Value.(*tensor.Tensor).Data.([]string)[0]
		case e.Kind == runtime.Emitted && e.Name == "summary":
			var s parts.Summary
			if err := s.UnmarshalBinary(e.Value.(*tensor.Tensor).Bytes()); err != nil {
				t.Error(err)
			}
			o.summaries[e.Exec.Number] = s
		case e.Kind == runtime.Emitted && e.Name == "at":
			o.moments[tensor.Data[int64](e.Value.(*tensor.Tensor))[0]]++
		case e.Kind == runtime.Emitted && e.Name == "held":
			o.held++
		case e.Kind == runtime.Refused || e.Kind == runtime.Failed:
			o.errors[fmt.Sprint(i, " ", e.Err)] = true
		case e.Kind == runtime.Published && e.Name == runtime.LoopDone:
			done = true
		}
	}
	if ok, err := net.Run(int64(time.Hour), func() bool { return done }); err != nil || !ok {
		t.Fatalf("seed %d, %v: the rounds do not end: %v, %v, %v", seed, faults, err, o.texts, o.errors)
	}
	return o
}

// rounds returns the numbers of executions that had a quorum, in order.
func (o *owned) rounds() (list []uint64) {
	for n := range o.texts {
		list = append(list, n)
	}
	slices.Sort(list)
	return list
}

// TestOwn tests that values of Go types cross edges, are gathered and carried. A peer with a rejected or too
// large value is left out by name, and all others continue.
func TestOwn(t *testing.T) {
	o := ownRun(t, 1, nil)
	var got []string
	for _, n := range o.rounds() {
		got = append(got, o.texts[n])
	}
	if want := []string{"3 of 3", "12 of 3", "39 of 3"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if o.held < 2*own.Rounds { // the last one may not have been reported to a host
		t.Errorf("%d readings were held, want as many as were sent", o.held)
	}
	for _, want := range []string{
		"0 edge thermometer.reading: a parts.Reading of 7 bytes: UnmarshalBinary panics: there is no air",
		"a parts.Reading of 1007 bytes, want at most 256",
	} {
		found := false
		for text := range o.errors {
			found = found || strings.HasSuffix(text, want)
		}
		if !found {
			t.Errorf("no reported error contains %q; there are %v", want, o.errors)
		}
	}
}

// Under faults each round has the values of two or three peers, each once, added to the values of the
// previous round.
func TestOwnUnderFaults(t *testing.T) {
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 1))
		o := ownRun(t, seed, append(mem.Faults(r, 4, 6, int64(200*time.Millisecond)),
			mem.Fault{At: r.Int64N(100e6), For: 20e6, Kind: mem.Crash, Node: 0}, mem.Fault{At: r.Int64N(100e6), For: 20e6, Kind: mem.Crash, Node: 2}))
		before := int64(0)
		for _, n := range o.rounds() {
			s := o.summaries[n]
			if more := s[1] - s[0]*before; o.texts[n] != fmt.Sprintf("%d of %d", s[1], s[0]) || s[0] < 2 || s[0] > 3 || more < 1 || more > 3 || s[0] == 3 && more != 3 {
				t.Errorf("seed %d: %v after %d: %s", seed, s, before, o.texts[n])
			}
			before = s[1] % 100
		}
		if len(o.texts) != own.Rounds {
			t.Errorf("seed %d: %v, want %d rounds", seed, o.texts, own.Rounds)
		}
	}
}

// A protobuf message crosses an edge, within its limit.
func TestOwnMessage(t *testing.T) {
	o := ownRun(t, 1, nil)
	for round := range int64(own.Rounds) {
		if n := o.moments[1e9+round]; n < 3 {
			t.Errorf("%d thermometers know the moment of round %d, want 5, or 3 who answer: %v", n, round, o.moments)
		}
	}
	if len(o.moments) != own.Rounds {
		t.Errorf("%v, want moments of %d rounds", o.moments, own.Rounds)
	}
	m := parts.Moment{Timestamp: &timestamppb.Timestamp{Seconds: 1 << 40, Nanos: 1}}
	b, err := values.AppendOwn[parts.Moment](nil, &m, 32)
	if err != nil {
		t.Fatal(err)
	}
	var got parts.Moment
	if err := got.UnmarshalBinary(b); err != nil || !proto.Equal(got.Timestamp, m.Timestamp) {
		t.Errorf("got %v, %v, want %v", got, err, m)
	}
	if _, err := values.AppendOwn[parts.Moment](nil, &m, len(b)-1); err == nil {
		t.Errorf("a message of %d bytes is written where one less is allowed", len(b))
	}
	if err := got.UnmarshalBinary([]byte{0xff}); err == nil {
		t.Error("what is no message is read")
	}
}
