package train

import (
	"os"
	"syscall"
)

// isUnread reports whether a file is a pipe without a reader.
func isUnread(f *os.File) (unread bool) {
	conn, err := f.SyscallConn()
	if err != nil {
		return false
	}
	conn.Control(func(fd uintptr) { unread = hasError(int(fd)) })
	return unread
}

// hasError reports whether writing to a file descriptor fails. Descriptors that cannot be polled, such as
// those of regular files, have no readers.
func hasError(fd int) bool {
	poll, err := syscall.EpollCreate1(syscall.EPOLL_CLOEXEC)
	if err != nil {
		return false
	}
	defer syscall.Close(poll)
	if err := syscall.EpollCtl(poll, syscall.EPOLL_CTL_ADD, fd, &syscall.EpollEvent{Fd: int32(fd)}); err != nil {
		return false
	}
	var events [1]syscall.EpollEvent
	n, err := syscall.EpollWait(poll, events[:], 0) // errors are reported without a request
	return err == nil && n == 1 && events[0].Events&(syscall.EPOLLERR|syscall.EPOLLHUP) != 0
}
