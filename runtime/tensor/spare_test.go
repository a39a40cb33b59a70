package tensor

import (
	"fmt"
	"runtime"
	"testing"
)

// TestSpare: memory above the sizes of pools is reused for a value of its size or a little less, by one reader
// at a time, and once it is released.
func TestSpare(t *testing.T) {
	const n = 1<<maxKept + 8000
	m := NewMemory(n)
	if held := NewMemory(n); held == m {
		t.Fatal("memory is reused while a reference to it is held")
	}
	m.Release()
	if got := NewMemory(n + 1); got == m {
		t.Fatal("memory is reused for a larger value")
	}
	if got := NewMemory(1<<maxKept + 1); got != m {
		t.Fatal("released memory is not reused for a value that is a little smaller")
	}
	if got := NewMemory(n); got == m {
		t.Fatal("memory is reused twice")
	}
	m.Release()
	for _, n := range []int{n * 7 / 8, 1 << maxKept} {
		if got := NewMemory(n); got == m {
			t.Errorf("memory of %d bytes is reused for %d bytes", len(m.Bytes()), n)
		}
	}
}

// TestSpareList: the list has a limit, and takes the latest; memory that only the list names is freed.
func TestSpareList(t *testing.T) {
	var s spareList
	all := make([]*Memory, maxSpare+1)
	for i := range all {
		all[i] = &Memory{bytes: make([]byte, 100)}
		s.put(all[i])
	}
	if got := s.take(89); got != all[maxSpare] {
		t.Error("take returns another one than the latest")
	}
	runtime.KeepAlive(all[0])
	all[0] = nil // not listed any more
	for _, m := range all[1:5] {
		runtime.KeepAlive(m)
	}
	clear(all[3:5])
	runtime.GC()
	if got := s.take(101); got != nil {
		t.Errorf("take returns %d bytes, want at least 101", len(got.bytes))
	}
	if want := maxSpare - 3; len(s.list) != want { // without the latest, and the two that are freed
		t.Errorf("%d are listed, want %d", len(s.list), want)
	}
	runtime.KeepAlive(all)
}

// BenchmarkMemory is what a value costs that is written to new memory and read by nobody.
func BenchmarkMemory(b *testing.B) {
	for _, n := range []int{1 << 20, 16 << 20, 64 << 20} {
		from := make([]byte, n)
		b.Run(fmt.Sprintf("%dMiB", n>>20), func(b *testing.B) {
			b.SetBytes(int64(n))
			for b.Loop() {
				m := NewMemory(n)
				copy(m.Bytes(), from)
				m.Release()
			}
		})
	}
}
