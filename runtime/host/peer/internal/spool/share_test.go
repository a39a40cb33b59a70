package spool

import "testing"

// A peer that sends as much as it can gets no more files and bytes than it leaves for the others, and others
// then get some.
func TestSharesOfFiles(t *testing.T) {
	s := testSpool(t, t.TempDir())
	s.free = func(string) (uint64, bool) { return 0, false } // as nothing is written here
	s.room.files, s.room.bytes = 100, 100<<20
	for _, size := range []uint64{1, 10 << 20} {
		var peers [3]Share
		var all []*Writer
		for i := range peers {
			for {
				w := s.Begin(&peers[i], size)
				if w == nil {
					break
				}
				all = append(all, w)
			}
			if peers[i].files == 0 || i == 0 && (peers[i].files > 50 || peers[i].bytes > 50<<20) {
				t.Errorf("peer %d has %+v, of %+v", i, peers[i], s.used)
			}
		}
		for _, w := range all {
			w.Abort()
		}
		s.beside.wait()
		if s.used != (Share{}) || peers != [3]Share{} {
			t.Fatalf("%+v is used of nothing, %+v", s.used, peers)
		}
	}
}
