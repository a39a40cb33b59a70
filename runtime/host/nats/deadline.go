package nats

import "time"

// deadline is the deadline of reads or writes, guarded by the lock of its connection.
type deadline struct {
	c      *conn
	timer  *time.Timer // of the last that was set; nil: there is none
	passed bool
}

// set sets the deadline; the zero time means none.
func (d *deadline) set(t time.Time) {
	if d.timer != nil {
		d.timer.Stop()
		d.timer = nil
	}
	d.passed = !t.IsZero() && !time.Now().Before(t)
	if d.passed || t.IsZero() {
		return
	}
	var own *time.Timer
	own = time.AfterFunc(time.Until(t), func() {
		d.c.mu.Lock()
		defer d.c.mu.Unlock()
		if d.timer == own {
			d.passed = true
			d.c.more.Broadcast()
		}
	})
	d.timer = own
}
