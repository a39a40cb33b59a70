package parts

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/internal/statetest"
	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/wire"
)

// TestReading: a reading is its place after its length, and a byte for each number.
func TestReading(t *testing.T) {
	for want, r := range map[string]Reading{
		"09 04 72 6f 6f 66 ff 14": {"roof", []int8{-1, 20}},
		"09 00 07":                {"", []int8{7}},
	} {
		b, err := r.AppendBinary([]byte{9})
		if got := fmt.Sprintf("% x", b); err != nil || got != want {
			t.Errorf("got %s, %v, want %s", got, err, want)
		}
		read := Reading{Place: "cellar", Degrees: []int8{1, 2, 3}}
		if err := read.UnmarshalBinary(b[1:]); err != nil || read.Place != r.Place || !slices.Equal(read.Degrees, r.Degrees) {
			t.Errorf("read %v, %v, want %v", read, err, r)
		}
	}
}

// TestReadingRefused: a reading without a number is an error, and one from the moon a panic.
func TestReadingRefused(t *testing.T) {
	for _, b := range []string{"", "\x00", "\x04", "\x04roof", "\x05roof\x01"} {
		if err := new(Reading).UnmarshalBinary([]byte(b)); err == nil {
			t.Errorf("%q is a reading", b)
		}
	}
	defer func() {
		if r := recover(); r != "there is no air" {
			t.Errorf("got %v, want a panic", r)
		}
	}()
	t.Errorf("the moon was read: %v", new(Reading).UnmarshalBinary([]byte("\x04moon\x01")))
}

// TestSummary: a summary is two numbers with signs, of any length.
func TestSummary(t *testing.T) {
	for want, s := range map[string]Summary{"02 01": {1, -1}, "00 80 02": {0, 128}} {
		b, err := s.MarshalBinary()
		if got := fmt.Sprintf("% x", b); err != nil || got != want {
			t.Errorf("%v: got %s, %v, want %s", s, got, err, want)
		}
		read := Summary{7, 8}
		if err := read.UnmarshalBinary(b); err != nil || read != s {
			t.Errorf("read %v, %v, want %v", read, err, s)
		}
		if err := read.UnmarshalBinary(b[:len(b)-1]); err == nil {
			t.Errorf("%v: all bytes but one are a summary, too", s)
		}
	}
}

func TestClerk(t *testing.T) {
	var c Clerk
	if s, err := c.Begin(); err != nil || s != (Summary{}) {
		t.Errorf("it begins with %v, %v, want nothing", s, err)
	}
	if text, err := c.Text(Summary{2, -30}); err != nil || text != "-30 of 2" {
		t.Errorf("got %q, %v, want -30 of 2", text, err)
	}
}

// TestSensor: readings continue from the summary of the round before. Those of two ranks cannot be sent.
func TestSensor(t *testing.T) {
	for _, c := range []struct {
		rank    int
		place   string
		degrees []int8
	}{
		{0, "roof 0", []int8{30, 0}}, {2, "roof 2", []int8{30, 2}}, {3, "moon", []int8{30, 3}}, {4, "roof 4", make([]int8, 1000)},
	} {
		s := &Sensor{}
		if err := s.Open(runtime.Env{Rank: c.rank}); err != nil {
			t.Fatal(err)
		}
		b, err := s.AppendBinary([]byte("before"))
		if err != nil || string(b) != "before" {
			t.Errorf("got the state %q, %v, want none", b, err)
		}
		if err := s.UnmarshalBinary(nil); err != nil {
			t.Error(err)
		}
		got, err := s.Read(Summary{5, 130})
		if err != nil || got.Place != c.place || !slices.Equal(got.Degrees, c.degrees) {
			t.Errorf("rank %d: got %v, %v, want %s: %v", c.rank, got, err, c.place, c.degrees)
		}
	}
}

// TestSum: each place counts once in a round, after a restart, too.
func TestSum(t *testing.T) {
	s := &Sum{}
	contribute := func(place string, degrees ...int8) error {
		return s.Contribute(wire.PeerID{}, Reading{Place: place, Degrees: degrees}, 1)
	}
	aggregate := func(want Summary) {
		t.Helper()
		if got, err := s.Aggregate(); err != nil || got != want {
			t.Errorf("got %v, %v, want %v", got, err, want)
		}
	}
	for range 2 {
		for place, degrees := range map[string][]int8{"roof": {1, -3}, "cellar": {5}} {
			if err := contribute(place, degrees...); err != nil {
				t.Fatal(err)
			}
		}
		b, err := s.AppendBinary(nil)
		if err != nil {
			t.Fatal(err)
		}
		s = &Sum{from: []string{"moon"}, sum: Summary{9, 9}}
		if err := s.UnmarshalBinary(b); err != nil {
			t.Fatal(err)
		}
		if err := contribute("roof", 1); err == nil || !strings.Contains(err.Error(), "roof") {
			t.Errorf("got error %v, want one of the roof", err)
		}
		aggregate(Summary{2, 3})
	}
	aggregate(Summary{})
	if got := statetest.Restart(t, s, &Sum{}); len(got.from) != 0 {
		t.Errorf("readings of %q are left", got.from)
	}
}

func TestSumRefused(t *testing.T) {
	for _, b := range []string{"", "\x02", "\x02\x80", "\x02\x01\x04", "\x02\x01\x04roo"} {
		if err := new(Sum).UnmarshalBinary([]byte(b)); err == nil {
			t.Errorf("%q is a state", b)
		}
	}
}
