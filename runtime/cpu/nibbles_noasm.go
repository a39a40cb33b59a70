//go:build !amd64 || purego

package cpu

func (t *nibblePanel) row()    { t.rowGo() }
func (t *nibblePanel) floats() { t.floatsGo() }
