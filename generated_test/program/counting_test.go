package program_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bbgen/bbgen/generated_test/program/counting"
	"github.com/bbgen/bbgen/generated_test/program/counting/parts"
	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/host/mem"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/wire"

	bank "github.com/bbgen/bbgen/generated_test/program/counting/peer/bank/partition"
	counted "github.com/bbgen/bbgen/generated_test/program/counting/peer/client/partition"
	clinic "github.com/bbgen/bbgen/generated_test/program/counting/peer/clinic/partition"
	counter "github.com/bbgen/bbgen/generated_test/program/counting/peer/server/partition"
)

// meeting is the rows that the clinic and the bank have in common, by the names of the outputs. They are in the same order,
// another one in each execution.
type meeting map[string][]int64

// count runs the program counting under faults. It returns the last output of each name, and the meetings by execution.
func count(t *testing.T, seed uint64, faults []mem.Fault) (last map[string]*tensor.Tensor, times map[string]int, meetings map[wire.ExecID]meeting) {
	t.Helper()
	ms := int64(time.Millisecond)
	net := mem.New(mem.Config{Seed: seed, Delay: ms, Jitter: ms, Command: 10 * ms, Persist: ms, Faults: faults, Verify: true})
	i := 0
	add := func(class string, rank int, create func(runtime.Env) (*runtime.Partition, error)) {
		env := runtime.Env{Class: class, Rank: rank, Seed: seed, Random: mem.Random(seed, i), Identity: mem.Identity(i)}
		net.Add(runtime.Config{Rank: rank, Durable: true}, func() *runtime.Partition { return made(t, create, env) })
		i++
	}
	add("server", 0, counter.Default)
	add("clinic", 0, clinic.Default)
	add("bank", 0, bank.Default)
	for rank := range counting.Clients {
		add("client", rank, counted.Default)
	}
	last, times, meetings = map[string]*tensor.Tensor{}, map[string]int{}, map[wire.ExecID]meeting{}
	loops := map[int]bool{}
	net.Told = func(i int, e runtime.Event) {
		switch {
		case e.Kind == runtime.Emitted:
			last[e.Name] = e.Value.(*tensor.Tensor).Clone()
			times[e.Name]++
			if rows, ok := e.Value.(*tensor.Tensor); ok && strings.HasSuffix(e.Name, "_rows") {
				if meetings[e.Exec] == nil {
					meetings[e.Exec] = meeting{}
				}
				meetings[e.Exec][e.Name] = slices.Clone(tensor.Data[int64](rows))
			}
		case e.Kind == runtime.Published && e.Name == runtime.LoopDone:
			loops[i] = true
		case e.Kind == runtime.Failed && e.Err != nil:
			t.Errorf("seed %d: peer %d: %v", seed, i, e.Err)
		}
	}
	done := func() bool {
		both := 0
		for _, m := range meetings {
			both += len(m) / 2
		}
		return len(loops) == 2 && both == counting.Meets
	}
	if ok, err := net.Run(int64(time.Hour), done); err != nil || !ok {
		t.Fatalf("seed %d, %v: the loops do not end: %v, %v", seed, faults, err, times)
	}
	return last, times, meetings
}

// checkCounts checks what the server and both owners of rows learn: that does not depend on faults.
func checkCounts(t *testing.T, seed uint64, last map[string]*tensor.Tensor, meetings map[wire.ExecID]meeting) {
	t.Helper()
	if m := tensor.Data[float32](last["median"]); m[0] != 21 { // of 0, 1, 2, 10, …, 42
		t.Errorf("seed %d: the median is between %v, want 21", seed, m)
	}
	words, often := tensor.Data[string](last["words"]), tensor.Data[int32](last["often"])
	if !slices.Equal(words, []string{"yes", "ye"}) || !slices.Equal(often, []int32{5, 3}) {
		t.Errorf("seed %d: %q occur %v times", seed, words, often)
	}
	for _, m := range meetings {
		checkMeeting(t, seed, m)
	}
}

// checkMeeting checks that both owners find the rows of the same people.
func checkMeeting(t *testing.T, seed uint64, m meeting) {
	t.Helper()
	var data [2][]string
	for i, class := range []string{"clinic", "bank"} {
		d := &parts.Data{}
		if err := d.Open(runtime.Env{Class: class}); err != nil {
			t.Fatal(err)
		}
		ids := d.Ids()
		for _, row := range m[class+"_rows"] {
			data[i] = append(data[i], ids[row])
		}
	}
	found := slices.Sorted(slices.Values(data[0]))
	if want := slices.Sorted(slices.Values([]string{"person 0", "person 6", "person 12", "person 18", "person 24"})); !slices.Equal(data[0], data[1]) || !slices.Equal(found, want) {
		t.Errorf("seed %d: the rows are of %q and %q, want those of %q", seed, data[0], data[1], want)
	}
}

// TestCounting computes a median, frequent words and common rows from sums of counts and from points.
func TestCounting(t *testing.T) {
	last, times, meetings := count(t, 1, nil)
	checkCounts(t, 1, last, meetings)
	if times["median"] != counting.Rounds || times["clinic_rows"] != counting.Meets {
		t.Errorf("outputs: %v", times)
	}
}

// The results are the same when peers crash in the middle of rounds and continue from snapshots.
func TestCountingUnderFaults(t *testing.T) {
	ms := int64(time.Millisecond)
	for seed := range uint64(12) {
		r := rand.New(rand.NewPCG(seed, 1))
		faults := mem.Faults(r, 6, 3+counting.Clients, 300*ms)
		for node := range 5 {
			faults = append(faults, mem.Fault{At: (5 + r.Int64N(200)) * ms, For: (10 + r.Int64N(100)) * ms, Kind: mem.Crash, Node: node})
		}
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			last, _, meetings := count(t, seed, faults)
			checkCounts(t, seed, last, meetings)
		})
	}
}
