package parts

import (
	"slices"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/tensor"
)

func data(t *testing.T, class string, rank int) *Data {
	t.Helper()
	d := &Data{}
	if err := d.Open(runtime.Env{Class: class, Rank: rank}); err != nil {
		t.Fatal(err)
	}
	return d
}

// TestClients: values and words follow from the rank.
func TestClients(t *testing.T) {
	for _, c := range []struct {
		rank   int
		values []float32
		words  []string
	}{
		{2, []float32{20, 21, 22}, []string{"yes", "ye", "yes 2", "secret 2"}},
		{3, []float32{30, 31, 32}, []string{"yes", "maybe", "yes 3", "secret 3"}},
	} {
		d := data(t, "client", c.rank)
		got, err := d.Values(tensor.Dense[float32]{})
		if err != nil || !slices.Equal(got.Data, c.values) || !slices.Equal(got.Shape, []int{3}) {
			t.Errorf("rank %d: values are %v of shape %v, %v, want %v", c.rank, got.Data, got.Shape, err, c.values)
		}
		if got := d.Words(); !slices.Equal(got, c.words) || len(got) != Words {
			t.Errorf("rank %d: words are %q, want %q", c.rank, got, c.words)
		}
	}
}

// TestIds: clinic and bank have five persons in common.
func TestIds(t *testing.T) {
	persons := func(numbers string) (list []string) {
		for _, n := range strings.Fields(numbers) {
			list = append(list, "person "+n)
		}
		return list
	}
	clinic, bank := data(t, "clinic", 0).Ids(), data(t, "bank", 0).Ids()
	if want := persons("0 2 4 6 8 10 12 14 16 18 20 22 24 26 28"); !slices.Equal(clinic, want) {
		t.Errorf("the clinic has %q, want %q", clinic, want)
	}
	if want := persons("0 3 6 9 12 15 18 21 24 27"); !slices.Equal(bank, want) {
		t.Errorf("the bank has %q, want %q", bank, want)
	}
}

// TestState: there is none.
func TestState(t *testing.T) {
	d := data(t, "client", 1)
	if b, err := d.AppendBinary([]byte("before")); err != nil || string(b) != "before" {
		t.Errorf("got %q, %v, want nothing more", b, err)
	}
	if err := d.UnmarshalBinary(nil); err != nil {
		t.Error(err)
	}
	if err := d.UnmarshalBinary([]byte{0}); err == nil {
		t.Error("a byte is accepted")
	}
}
