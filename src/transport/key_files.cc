#include "transport/key_files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cstdio>
#include <cstring>

namespace ps {
namespace {

// A key and white space around it; nobody's file is read to its end.
constexpr size_t kMostBytes = 256;

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }

 private:
  const int fd_;
};

bool IsZ85(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
         (c != '\0' && std::strchr(".-:+=^!/*?&<>()[]{}@%$#", c));
}

std::string Trimmed(const std::string& text) {
  const char* const white = " \t\r\n";
  const size_t first = text.find_first_not_of(white);
  if (first == std::string::npos) return "";
  return text.substr(first, text.find_last_not_of(white) - first + 1);
}

std::string Octal(mode_t mode) {
  std::array<char, 16> text{};
  std::snprintf(text.data(), text.size(), "%04o", static_cast<unsigned>(mode & 07777));
  return text.data();
}

Status Fault(const std::string& directory, const std::string& what) {
  return Status::InvalidArgument("PS_CURVE_DIR=\"" + directory + "\": " + what);
}

Status SystemFault(const std::string& directory, const std::string& path, int error) {
  std::string text = path + " can not be read: " + std::strerror(error);
  if (error == ENOENT || error == ENOTDIR) text += "; `ps_keygen " + directory + "` makes a pair of keys";
  return Fault(directory, text);
}

// The bytes of a small file; false with errno otherwise.
bool ReadAll(int fd, std::string* text) {
  std::array<char, kMostBytes> buffer{};
  for (;;) {
    const ssize_t size = read(fd, buffer.data(), buffer.size());
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) return false;
    text->append(buffer.data(), static_cast<size_t>(size));
    if (size == 0 || text->size() > kMostBytes) return true;
  }
}

Result<std::string> ReadKey(const std::string& directory, const char* name, bool is_secret) {
  const std::string path = directory + "/" + name;
  // Opening a pipe would wait for a writer.
  const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.get() < 0) return SystemFault(directory, path, errno);
  struct stat about {};
  if (fstat(file.get(), &about) != 0) return SystemFault(directory, path, errno);
  if (!S_ISREG(about.st_mode)) return Fault(directory, path + " is no plain file");
  if (is_secret && (about.st_mode & 077) != 0) {
    return Fault(directory,
                 path + " is open to others (mode " + Octal(about.st_mode) + "): chmod 600 " + path);
  }
  std::string text;
  if (!ReadAll(file.get(), &text)) return SystemFault(directory, path, errno);
  text = Trimmed(text);
  if (text.size() == kKeyChars && std::all_of(text.begin(), text.end(), IsZ85)) return text;
  // Not a character of it: it may be a key after all.
  return Fault(directory, path + " is no key: it should be " + std::to_string(kKeyChars) +
                              " characters of Z85, as `ps_keygen` writes them");
}

Status WriteFault(const std::string& path, int error) {
  return Status::Unavailable(path + " can not be written: " + std::strerror(error));
}

bool WriteAll(int fd, const std::string& text) {
  for (size_t done = 0; done < text.size();) {
    const ssize_t size = write(fd, text.data() + done, text.size() - done);
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) return false;
    done += static_cast<size_t>(size);
  }
  return fsync(fd) == 0;
}

// Under another name first, so that the file is whole from the moment it is there.
Status WriteKey(const std::string& path, const std::string& key, bool replace) {
  const std::string unfinished = path + ".new";
  unlink(unfinished.c_str());
  {
    const Descriptor file(open(unfinished.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    if (file.get() < 0) return WriteFault(unfinished, errno);
    if (fchmod(file.get(), 0600) != 0 || !WriteAll(file.get(), key + "\n")) {
      const int error = errno;
      unlink(unfinished.c_str());
      return WriteFault(unfinished, error);
    }
  }
  // A link refuses what is there already, a rename replaces it.
  const int result =
      replace ? rename(unfinished.c_str(), path.c_str()) : link(unfinished.c_str(), path.c_str());
  const int error = errno;
  unlink(unfinished.c_str());
  if (result == 0) return Status::Ok();
  if (error == EEXIST) return Status::AlreadyExists(path + " is there already");
  return WriteFault(path, error);
}

}  // namespace

Result<KeyPair> ReadKeyPair(const std::string& directory) {
  struct stat about {};
  if (stat(directory.c_str(), &about) != 0) return SystemFault(directory, directory, errno);
  if (!S_ISDIR(about.st_mode)) return Fault(directory, "this is no directory");
  Result<std::string> secret_key = ReadKey(directory, kSecretKeyFile, true);
  if (!secret_key.ok()) return secret_key.status();
  Result<std::string> public_key = ReadKey(directory, kPublicKeyFile, false);
  if (!public_key.ok()) return public_key.status();
  return KeyPair{public_key.value(), secret_key.value()};
}

Status WriteKeyPair(const std::string& directory, const KeyPair& keys, bool replace) {
  const bool is_new = mkdir(directory.c_str(), 0700) == 0;
  if (!is_new && errno != EEXIST) return WriteFault(directory, errno);
  // Whatever the umask of the caller: it may even forbid the owner.
  if (is_new && chmod(directory.c_str(), 0700) != 0) return WriteFault(directory, errno);
  const std::string secret_path = directory + "/" + kSecretKeyFile;
  const std::string public_path = directory + "/" + kPublicKeyFile;
  if (!replace && access(public_path.c_str(), F_OK) == 0) {
    return Status::AlreadyExists(public_path + " is there already");
  }
  PS_RETURN_IF_ERROR(WriteKey(secret_path, keys.secret_key, replace));
  return WriteKey(public_path, keys.public_key, replace);
}

}  // namespace ps
