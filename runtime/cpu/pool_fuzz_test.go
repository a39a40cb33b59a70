package cpu

import (
	"errors"
	"sync/atomic"
	"testing"
)

// FuzzPanics makes any turns of any loops panic, one loop after the other on the same workers.
func FuzzPanics(f *testing.F) {
	f.Add(uint8(2), uint16(64), uint16(3), uint16(7))
	f.Add(uint8(4), uint16(65535), uint16(65000), uint16(1))
	f.Fuzz(func(t *testing.T, threads uint8, n, first, step uint16) {
		defer SetThreads(0)
		SetThreads(1 + int(threads%8))
		var over atomic.Bool
		x := &failingTask{seen: make([]atomic.Int32, int(n)+1), first: int(first), step: int(step) + 1, over: &over}
		r := caught(func() { parallel(len(x.seen), 1e6, x) })
		over.Store(true)
		err, _ := r.(error)
		e, ok := errors.AsType[*Error](err)
		if fails := first <= n; fails != ok || fails && e.Msg != "turn "+itoa(int(first))+" fails" {
			t.Fatalf("%d turns of which %d fails: %v", len(x.seen), first, r)
		}
		for i := range min(int(first)+1, len(x.seen)) {
			if s := x.seen[i].Load(); s != 1 {
				t.Fatalf("turn %d ran %d times", i, s)
			}
		}
	})
}
