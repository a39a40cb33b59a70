package randomprogram

import "testing"

// TestRandomPrograms always checks the same programs. To check more: go run ./internal/randomprogram/fuzz -count 10000.
func TestRandomPrograms(t *testing.T) {
	n := uint64(300)
	if testing.Short() {
		n = 60
	}
	types, err := NewTypechecker()
	if err != nil {
		t.Fatal(err)
	}
	var tally Tally
	for seed := range n {
		f := tally.Check(seed, types)
		if f != nil {
			t.Error(Minimize(f, types))
		}
	}
	t.Logf("%+v", tally)
	if tally.Outputs < int(n) || tally.Steps < 3*int(n) {
		t.Errorf("%+v: few outputs were compared", tally)
	}
}

// TestFound: these seeds have drawn programs that showed faults, which only a search among many found.
func TestFound(t *testing.T) {
	for _, seed := range []uint64{
		4185316710436226624,  // values that are sent apart, each in its own execution, were awaited in one
		9100000000000010223,  // a protocol sends to peers of the class ""
		13148074963741743734, // the parts of a bundle that waits for answers counted as the question
		15490489940853434271, // what an Any waits for was what a DeadlineMatch counts its time from
	} {
		if f := new(Tally).Check(seed, nil); f != nil {
			t.Error(Minimize(f, nil))
		}
	}
}

// FuzzPrograms checks the programs of arbitrary seeds.
func FuzzPrograms(f *testing.F) {
	for seed := range uint64(5) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed uint64) {
		if f := new(Tally).Check(seed, nil); f != nil {
			t.Error(Minimize(f, nil))
		}
	})
}
