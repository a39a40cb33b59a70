package cpu

// nestTask is the task of a nest that copies float32. A turn is a part of the outermost axis.
type nestTask struct {
	dst, src []float32
	nest     nest
	d, x     int
	per      int // of the outermost axis in a turn
}

var nestTasks freelist[nestTask]

// shareNest runs a nest of n elements on several threads.
func shareNest(dst, src []float32, s *nest, d, x, n int) {
	t := nestTasks.get()
	*t = nestTask{dst: dst, src: src, nest: *s, d: d, x: x}
	size := s.size[0]
	t.per = max(1, vecTurn*size/n)
	parallel((size+t.per-1)/t.per, n/2, t)
	*t = nestTask{}
	nestTasks.put(t)
}

func (t *nestTask) run(i int) {
	s := t.nest
	first := i * t.per
	s.size[0] = min(t.per, s.size[0]-first)
	runNest(t.dst, t.src, &s, t.d+first*s.dst[0], t.x+first*s.src[0])
}
