//go:build !amd64 || purego

package cpu

func (t *winogradTile) in() { t.inGo() }

func (t *winogradTile) out() { t.outGo() }

func (t *winogradTile) smallIn() { t.smallInGo() }

func (t *winogradTile) smallOut() { t.smallOutGo() }
