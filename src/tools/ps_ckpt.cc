// ps_ckpt: what checkpoints there are, whether they are whole, and what is in them.
#include <CLI/CLI.hpp>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "store/checkpoint/files.h"
#include "store/checkpoint/reader.h"
#include "store/checkpoint/steps.h"
#include "tools/ps_ckpt/show.h"

namespace {

constexpr int kUsage = 2;

struct Options {
  std::string uri;
  std::int64_t step = -1;  // the newest complete one
  std::string table;       // all
  std::uint64_t rows = 10;
};

ps::Status List(ps::CheckpointFiles* files) {
  const ps::Result<std::vector<std::uint64_t>> steps = ps::ListSteps(files);
  if (!steps.ok()) return steps.status();
  if (steps.value().empty()) return ps::Status::NotFound("there is no checkpoint in " + files->PathOf(""));
  for (const std::uint64_t step : steps.value()) {
    const ps::Result<ps::Manifest> manifest = ps::ReadManifest(files, step);
    const bool incomplete = manifest.status().code() == ps::StatusCode::kNotFound;
    const std::string text = manifest.ok() ? ps::ShowManifest(manifest.value())
                             : incomplete  ? "incomplete, it has no MANIFEST"
                                           : manifest.status().message();
    std::printf("step %llu: %s\n", static_cast<unsigned long long>(step), text.c_str());
  }
  return ps::Status::Ok();
}

ps::Result<std::unique_ptr<ps::CheckpointReader>> Open(ps::CheckpointFiles* files, const Options& options) {
  if (options.step >= 0) return ps::CheckpointReader::Open(files, static_cast<std::uint64_t>(options.step));
  const ps::Result<ps::NewestStep> newest = ps::FindNewestStep(files);
  if (!newest.ok()) return newest.status();
  for (const std::uint64_t step : newest.value().incomplete) {
    std::fprintf(stderr, "ps_ckpt: step %llu is incomplete and passed over\n",
                 static_cast<unsigned long long>(step));
  }
  return ps::CheckpointReader::Open(files, newest.value().step);
}

// Goes on after what is wrong: all of it is wanted.
ps::Status Verify(ps::CheckpointReader* reader) {
  int wrong = 0;
  for (const std::string& table : reader->Tables()) {
    const ps::Result<ps::TableRecord> record = reader->Find(table);
    const ps::Status status = record.ok() ? reader->Verify(table, record.value().range) : record.status();
    if (status.ok()) continue;
    std::fprintf(stderr, "ps_ckpt: table %s: %s\n", table.c_str(), status.message().c_str());
    ++wrong;
  }
  if (wrong > 0) return ps::Status::InvalidArgument(std::to_string(wrong) + " tables cannot be restored");
  std::printf("step %llu is right: %s\n", static_cast<unsigned long long>(reader->manifest().step),
              ps::ShowManifest(reader->manifest()).c_str());
  return ps::Status::Ok();
}

ps::Status DumpTable(ps::CheckpointReader* reader, const std::string& table, std::uint64_t num_rows) {
  const ps::Result<ps::TableRecord> record = reader->Find(table);
  if (!record.ok()) return record.status();
  std::printf("%s\n", ps::ShowRecord(record.value()).c_str());
  std::uint64_t shown = 0;
  // Cancelled, when enough was shown: nothing else returns it.
  const ps::Status status =
      reader->ForEachPiece(table, record.value().range, [&](const ps::Shard::Piece& piece) -> ps::Status {
        for (std::size_t i = 0; i < piece.rows.count && shown < num_rows; ++i, ++shown) {
          std::fputs(ps::ShowRow(record.value(), piece, i).c_str(), stdout);
        }
        return shown < num_rows ? ps::Status::Ok() : ps::Status::Cancelled("");
      });
  return status.code() == ps::StatusCode::kCancelled ? ps::Status::Ok() : status;
}

ps::Status Dump(ps::CheckpointReader* reader, const Options& options) {
  if (!options.table.empty()) return DumpTable(reader, options.table, options.rows);
  for (const std::string& table : reader->Tables())
    PS_RETURN_IF_ERROR(DumpTable(reader, table, options.rows));
  return ps::Status::Ok();
}

ps::Status Run(const std::string& command, const Options& options) {
  const ps::Result<std::unique_ptr<ps::CheckpointFiles>> files = ps::OpenCheckpointFiles(options.uri);
  if (!files.ok()) return files.status();
  if (command == "list") return List(files.value().get());
  const ps::Result<std::unique_ptr<ps::CheckpointReader>> reader = Open(files.value().get(), options);
  if (!reader.ok()) return reader.status();
  return command == "verify" ? Verify(reader.value().get()) : Dump(reader.value().get(), options);
}

void AddCommand(CLI::App* app, const std::string& name, const std::string& what, Options* options) {
  CLI::App* const command = app->add_subcommand(name, what);
  command->add_option("URI", options->uri, "where they are: a folder, file://..., or what dmlc knows")
      ->required();
  if (name == "list") return;
  command->add_option("--step", options->step, "of this step; else the newest that is complete")
      ->check(CLI::NonNegativeNumber);
  if (name == "verify") return;
  command->add_option("--table", options->table, "this table alone");
  command->add_option("--rows", options->rows, "so many rows of each table (10)");
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Looks at the checkpoints of a job.");
  Options options;
  AddCommand(&app, "list", "a line for each checkpoint", &options);
  AddCommand(&app, "verify", "reads all of a checkpoint and says what is wrong with it", &options);
  AddCommand(&app, "dump", "shows tables and rows", &options);
  app.require_subcommand(1);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : kUsage;
  }
  const ps::Status status = Run(app.get_subcommands().front()->get_name(), options);
  if (status.ok()) return 0;
  std::fprintf(stderr, "ps_ckpt: %s\n", status.message().c_str());
  return 1;
}
