//go:build !amd64 || purego

package cpu

// wordSpeed returns multiply-adds of words per nanosecond of a thread, roughly.
func wordSpeed() int { return 1 }

func (t *wordTile) run()  { t.runGo() }
func (t *pixelTile8) in() { t.inGo() }
func (t *sumTile8) out()  { t.outGo() }
