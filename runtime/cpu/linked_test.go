package cpu

import (
	"runtime/debug"
	"testing"
)

// TestUnescaped grows the stack while a function that the compiler does not know holds a pointer to it.
func TestUnescaped(t *testing.T) {
	grow := func(p *int) {
		defer debug.SetGCPercent(debug.SetGCPercent(1))
		*p += deep(1000)
	}
	x := 1
	if allocs := testing.AllocsPerRun(1, func() {
		y := 1
		hold(t, &y)
	}); allocs != 0 {
		t.Errorf("%v allocations, want none", allocs)
	}
	done := make(chan int)
	go func() { // with a small stack
		y := x
		call(grow, unescaped(&y))
		done <- y
	}()
	if got := <-done; got != 1001 {
		t.Errorf("got %d after the stack has moved, want 1001", got)
	}
}

// hold calls a function that keeps nothing.
func hold(t *testing.T, p *int) {
	call(func(p *int) { *p++ }, unescaped(p))
	if *p != 2 {
		t.Errorf("got %d, want 2", *p)
	}
}

//go:noinline
func call(f func(p *int), p *int) { f(p) }

// deep uses a kilobyte of the stack for each of n calls.
//
//go:noinline
func deep(n int) int {
	if n == 0 {
		return 0
	}
	var buf [128]int
	buf[n%128] = 1
	return deep(n-1) + buf[n%128]
}
