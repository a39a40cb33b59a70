package mem

import (
	"fmt"
	"math/rand/v2"
	"time"
)

// FaultKind is the kind of a [Fault].
type FaultKind uint8

// The kinds of faults.
const (
	Crash      FaultKind = iota // Node dies, and starts again after For
	Cut                         // messages from Node to Other are lost for a time
	Break                       // the channel between Node and Other breaks
	CrashBlock                  // Node dies after the next block that it runs in that time, before any of its messages is sent
	CrashSaved                  // Node dies when its next snapshot is durable, before it is told
	faultKinds

	// Those that only [DrawFaults] draws.
	Hang     // Node pauses: it neither receives nor acts, and its channels stay open
	DiskFull // writes of Node fail
	DiskLies // Node's disk reports writes that a crash will lose
	Stop     // Node stops, and starts again after For: its executions end, and it begins no more, so that its loops are over, see [runtime.Node.Stop]
	Leave    // Node dies, and does not come back

	// Restart: Node takes a last snapshot, as a host with state does that is told to stop, and continues after For. It
	// loses nothing, and a chain of executions goes on.
	Restart

	// SyncFails: Node's disk reports that its writes may be lost; a crash loses them or does not.
	SyncFails
)

var faultNames = [...]string{"crash", "cut", "break", "crash behind a block", "crash behind a snapshot", "", "hang", "full disk", "lying disk", "stop", "leave", "restart", "failed sync"}

// String returns the kind in one or a few words, such as "full disk".
func (k FaultKind) String() string { return faultNames[k] }

// A Fault is a failure at a time.
type Fault struct {
	At, For     int64
	Kind        FaultKind
	Node, Other int
}

// String returns a sentence that says what fails, where, when and for how long.
func (f Fault) String() string {
	at, d := time.Duration(f.At), time.Duration(f.For)
	switch f.Kind {
	case Crash:
		return fmt.Sprintf("at %v node %d crashes for %v", at, f.Node, d)
	case Cut:
		return fmt.Sprintf("at %v nothing gets from %d to %d for %v", at, f.Node, f.Other, d)
	case CrashBlock:
		return fmt.Sprintf("behind its first block from %v on node %d crashes, until %v", at, f.Node, at+d)
	case CrashSaved:
		return fmt.Sprintf("after its first snapshot from %v on node %d crashes, until %v", at, f.Node, at+d)
	case Hang:
		return fmt.Sprintf("at %v node %d stands still for %v", at, f.Node, d)
	case DiskFull:
		return fmt.Sprintf("at %v the disk of node %d is full for %v", at, f.Node, d)
	case DiskLies:
		return fmt.Sprintf("at %v the disk of node %d begins to lie for %v", at, f.Node, d)
	case SyncFails:
		return fmt.Sprintf("at %v node %d can sync nothing for %v", at, f.Node, d)
	case Stop:
		return fmt.Sprintf("at %v node %d stops for %v", at, f.Node, d)
	case Restart:
		return fmt.Sprintf("at %v node %d takes a snapshot and restarts, after %v", at, f.Node, d)
	case Leave:
		return fmt.Sprintf("at %v node %d leaves", at, f.Node)
	}
	return fmt.Sprintf("at %v the channel between %d and %d breaks", at, f.Node, f.Other)
}

// Faults draws up to count faults among some nodes. All have ended at the time until.
func Faults(r *rand.Rand, count, nodes int, until int64) []Fault {
	list := make([]Fault, r.IntN(count+1))
	for i := range list {
		at := r.Int64N(until)
		list[i] = Fault{At: at, For: r.Int64N(until - at), Kind: FaultKind(r.IntN(int(faultKinds))), Node: r.IntN(nodes)}
		list[i].Other = (list[i].Node + 1 + r.IntN(max(nodes-1, 1))) % nodes
	}
	return list
}

// DrawFaults draws count faults of some kinds. Each has ended at the time until, and most are short, so that
// many take effect.
func DrawFaults(r *rand.Rand, count, nodes int, until int64, kinds ...FaultKind) []Fault {
	list := make([]Fault, count)
	for i := range list {
		at := r.Int64N(until)
		most := max((until-at)>>r.IntN(10), 1)
		list[i] = Fault{At: at, For: r.Int64N(most), Kind: kinds[r.IntN(len(kinds))], Node: r.IntN(nodes)}
		list[i].Other = (list[i].Node + 1 + r.IntN(max(nodes-1, 1))) % nodes
	}
	return list
}

// Shrink reduces a list of faults with which a run fails, as long as it still fails: it drops halves first,
// then smaller parts, then shortens the rest.
func Shrink(faults []Fault, fails func([]Fault) bool) []Fault {
	for size := len(faults); size > 0; {
		dropped := false
		for at := 0; at+size <= len(faults); {
			rest := append(append([]Fault(nil), faults[:at]...), faults[at+size:]...)
			if fails(rest) {
				faults, dropped = rest, true
			} else {
				at += size
			}
		}
		if !dropped || size > len(faults) {
			size /= 2
		}
	}
	for i := range faults {
		for faults[i].For > 1 {
			shorter := append([]Fault(nil), faults...)
			shorter[i].For /= 2
			if !fails(shorter) {
				break
			}
			faults = shorter
		}
	}
	return faults
}
