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
