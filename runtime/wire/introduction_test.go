package wire

import (
	"errors"
	"math"
	"reflect"
	"testing"
)

func introductions(t testing.TB) []Introduction {
	id, err := ParsePeerID("12D3KooWDpJ7As7BWAwRMfu1VU2WCqNjvq387JEYKDBj4kx6nXTN")
	if err != nil {
		t.Fatal(err)
	}
	return []Introduction{
		{},
		{Addresses: []Address{"/ip4/192.0.2.1/tcp/4001"}, Receives: []string{"client", "server"}},
		{Peer: id, Class: "client", Rank: 3, Addresses: []Address{"/ip4/192.0.2.1/tcp/4001", "/ip4/192.0.2.2/tcp/4001"}},
	}
}

// TestIntroduction encodes and decodes introductions.
func TestIntroduction(t *testing.T) {
	lim := Edge()
	for _, x := range introductions(t) {
		b := AppendIntroduction(nil, &x)
		got, err := ConsumeIntroduction(b, &lim)
		if err != nil || !reflect.DeepEqual(got, x) || !IsIntroduction(b) || IsPing(b) {
			t.Errorf("%+v comes back as %+v, %v", x, got, err)
		}
	}
	for _, e := range []Envelope{{}, {Seq: 1}, {Ack: 5}, {Dest: []Address{"/ip4/192.0.2.1"}}} {
		if b := AppendEnvelope(nil, &e); IsIntroduction(b) {
			t.Errorf("%+v looks like an introduction", e)
		}
	}
	if IsIntroduction(AppendPing(nil, Ping{ID: 1})) {
		t.Error("a ping looks like an introduction")
	}
}

// TestIntroductionRefused checks that invalid introductions are refused.
func TestIntroductionRefused(t *testing.T) {
	lim := Edge()
	for _, x := range []Introduction{
		{Addresses: make([]Address, 5)},
		{Addresses: []Address{"192.0.2.1"}},
		{Receives: make([]string, 9)},
		{Class: "a\nb"},
		{Rank: -1},
	} {
		if _, err := ConsumeIntroduction(AppendIntroduction(nil, &x), &lim); err == nil {
			t.Errorf("%+v is taken", x)
		}
	}
}

// Ranks from elsewhere may be too large for an int of 32 bits.
func TestLargeRankRefused(t *testing.T) {
	lim := Edge()
	head := AppendIntroduction(nil, &Introduction{})
	x, err := ConsumeIntroduction(appendVarint(head, introductionRank, math.MaxInt32), &lim)
	if err != nil || x.Rank != math.MaxInt32 {
		t.Errorf("got rank %d, %v, want %d", x.Rank, err, math.MaxInt32)
	}
	for _, rank := range []uint64{math.MaxInt32 + 1, math.MaxUint64} {
		if _, err := ConsumeIntroduction(appendVarint(head, introductionRank, rank), &lim); err == nil {
			t.Errorf("rank %d is taken", rank)
		}
	}
}

// FuzzIntroduction decodes arbitrary bytes; what is decoded must survive encoding.
func FuzzIntroduction(f *testing.F) {
	for _, x := range introductions(f) {
		f.Add(AppendIntroduction(nil, &x))
	}
	lim := Edge()
	f.Fuzz(func(t *testing.T, b []byte) {
		x, err := ConsumeIntroduction(b, &lim)
		if err != nil {
			if limit := (*LimitError)(nil); !errors.Is(err, ErrMalformed) && !errors.As(err, &limit) {
				t.Fatal(err)
			}
			return
		}
		again := AppendIntroduction(nil, &x)
		if y, err := ConsumeIntroduction(again, &lim); err != nil || !reflect.DeepEqual(x, y) {
			t.Fatalf("%+v comes back as %+v, %v", x, y, err)
		}
	})
}
